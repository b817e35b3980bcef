#include "ui/shell/help_window.h"

#include <QListWidget>
#include <QPointer>
#include <QSplitter>
#include <QTextBrowser>
#include <QTextDocument>
#include <QTextFrame>
#include <QTextTable>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/json.h"
#include "core/project/families.h"

namespace hyb::ui {
namespace {

QList<HelpWindow::Page> generalPages() {
  return {{QStringLiteral("first-test"), HelpWindow::tr("Your first test")},
          {QStringLiteral("project-file"), HelpWindow::tr("Project file")},
          {QStringLiteral("structures"), HelpWindow::tr("Structures")},
          {QStringLiteral("cuts"), HelpWindow::tr("Where may I cut?")},
          {QStringLiteral("integrators"), HelpWindow::tr("Integrators")},
          {QStringLiteral("coupling"), HelpWindow::tr("Coupling")},
          {QStringLiteral("adaption"), HelpWindow::tr("Laws of adaption")},
          {QStringLiteral("force_stage"), HelpWindow::tr("Force stages")},
          {QStringLiteral("actuator"), HelpWindow::tr("Actuators of the twin")},
          {QStringLiteral("law"), HelpWindow::tr("Laws of the specimen")},
          {QStringLiteral("compensation"), HelpWindow::tr("Compensation")},
          {QStringLiteral("addition"), HelpWindow::tr("Additions to the command")},
          {QStringLiteral("rig-page"), HelpWindow::tr("The rig before the test")},
          {QStringLiteral("rig-channels"), HelpWindow::tr("Channels of the rig")},
          {QStringLiteral("rig-geometry"), HelpWindow::tr("Geometry of the rig")},
          {QStringLiteral("identify"), HelpWindow::tr("Identification")},
          {QStringLiteral("plant"), HelpWindow::tr("Plant of the twin")},
          {QStringLiteral("safety"), HelpWindow::tr("Safety")},
          {QStringLiteral("connection"), HelpWindow::tr("Protocols of the rig")},
          {QStringLiteral("faults"), HelpWindow::tr("Faults and replay")},
          {QStringLiteral("reading-the-plots"), HelpWindow::tr("Reading the plots")},
          {QStringLiteral("verdict"), HelpWindow::tr("Verdict")},
          {QStringLiteral("measures"), HelpWindow::tr("Measures")},
          {QStringLiteral("run-files"), HelpWindow::tr("Run files")},
          {QStringLiteral("rig-server"), HelpWindow::tr("Rig server")},
          {QStringLiteral("rig-kit"), HelpWindow::tr("Connect your own hardware in an hour")},
          {QStringLiteral("rig-clients"), HelpWindow::tr("LabVIEW and Simulink targets")},
          {QStringLiteral("trials"), HelpWindow::tr("Trials")},
          {QStringLiteral("studies"), HelpWindow::tr("Studies")},
          {QStringLiteral("face"), HelpWindow::tr("FACE")},
          {QStringLiteral("face-page"), HelpWindow::tr("Fidelity: the pages")},
          {QStringLiteral("real-time"), HelpWindow::tr("Real time")},
          {QStringLiteral("keys"), HelpWindow::tr("Keys")}};
}

}  // namespace

const QList<HelpWindow::Page>& HelpWindow::pages() {
  static const QList<Page> pages = [] {
    QList<Page> all;
    for (const Page& page : generalPages()) {
      all << page;
      for (const Family& family : families()) {
        if (page.name != QLatin1String(family.name.data(), static_cast<int>(family.name.size()))) continue;
        for (const FamilyMember& member : family.members)
          all << Page{QString::fromStdString(member.page),
                      QStringLiteral("    ") + QString::fromStdString(branchOf(family, member.name).at("title"))};
      }
    }
    return all;
  }();
  return pages;
}

HelpWindow::HelpWindow(QWidget* parent) : QWidget(parent, Qt::Window), list_(new QListWidget), text_(new QTextBrowser) {
  setWindowTitle(tr("HybridBench help"));
  resize(880, 640);
  auto* box = new QVBoxLayout(this);
  box->setContentsMargins(8, 8, 8, 8);
  auto* splitter = new QSplitter;
  splitter->addWidget(list_);
  splitter->addWidget(text_);
  splitter->setStretchFactor(1, 1);
  splitter->setSizes({176, 680});
  box->addWidget(splitter);
  list_->setFrameShape(QFrame::NoFrame);
  list_->setProperty("nav", true);
  list_->setAccessibleName(tr("Help pages"));
  for (const Page& page : pages()) {
    auto* item = new QListWidgetItem(page.title, list_);
    item->setData(Qt::UserRole, page.name);
    item->setSizeHint({120, 32});
  }
  text_->setOpenExternalLinks(false);
  connect(list_, &QListWidget::currentItemChanged, this, [this](const QListWidgetItem* item) {
    if (item != nullptr) read(item->data(Qt::UserRole).toString());
  });
  list_->setCurrentRow(0);
}

/// The page is read before it is shown, because a visible document is laid out again after each insertion.
void HelpWindow::read(const QString& page) {
  auto* document = new QTextDocument(text_);
  document->setDefaultFont(text_->font());
  document->setDocumentMargin(16);
  document->setMarkdown(QString::fromStdString(helpText(page.toStdString())));
  for (QTextFrame* frame : document->rootFrame()->childFrames())
    if (auto* table = qobject_cast<QTextTable*>(frame)) {
      QTextTableFormat format = table->format();
      format.setBorderCollapse(true);
      format.setBorder(1);
      format.setBorderBrush(QColor(0x80, 0x88, 0x92, 110));  // a grey that is visible in both themes
      format.setCellPadding(5);
      format.setCellSpacing(0);
      format.setTopMargin(8);
      format.setBottomMargin(8);
      table->setFormat(format);
    }
  const QPointer<QTextDocument> before = text_->document();
  text_->setDocument(document);
  delete before;  // unless setDocument() has deleted it
}

void HelpWindow::open(const QString& page) {
  int row = 0;
  for (int i = 0; i < list_->count(); ++i)
    if (list_->item(i)->data(Qt::UserRole).toString() == page) row = i;
  list_->setCurrentRow(row);
  show();
  raise();
  activateWindow();
}

QString HelpWindow::page() const {
  return list_->currentItem() ? list_->currentItem()->data(Qt::UserRole).toString() : QString();
}

}  // namespace hyb::ui
