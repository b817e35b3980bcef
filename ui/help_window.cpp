#include "ui/help_window.h"

#include <QFile>
#include <QListWidget>
#include <QSplitter>
#include <QTextBrowser>
#include <QTextTable>
#include <QVBoxLayout>
#include <algorithm>

namespace hyb::ui {

QList<HelpWindow::Page> HelpWindow::pages() {
  return {{QStringLiteral("first-test"), tr("Your first test")},
          {QStringLiteral("project-file"), tr("Project file")},
          {QStringLiteral("structures"), tr("Structures")},
          {QStringLiteral("cuts"), tr("Where may I cut?")},
          {QStringLiteral("integrators"), tr("Integrators")},
          {QStringLiteral("actuators"), tr("Actuators of the twin")},
          {QStringLiteral("compensation"), tr("Compensation")},
          {QStringLiteral("rig-page"), tr("The rig before the test")},
          {QStringLiteral("rig-channels"), tr("Channels of the rig")},
          {QStringLiteral("safety"), tr("Safety")},
          {QStringLiteral("text-devices"), tr("Text instruments")},
          {QStringLiteral("modbus-devices"), tr("Modbus devices")},
          {QStringLiteral("opensees"), tr("OpenSees")},
          {QStringLiteral("faults"), tr("Faults and replay")},
          {QStringLiteral("reading-the-plots"), tr("Reading the plots")},
          {QStringLiteral("verdict"), tr("Verdict")},
          {QStringLiteral("measures"), tr("Measures")},
          {QStringLiteral("run-files"), tr("Run files")},
          {QStringLiteral("rig-server"), tr("Rig server")},
          {QStringLiteral("rig-protocol"), tr("Rig protocol")},
          {QStringLiteral("studies"), tr("Studies")},
          {QStringLiteral("face"), tr("FACE")},
          {QStringLiteral("face-page"), tr("Fidelity: the pages")},
          {QStringLiteral("real-time"), tr("Real time")},
          {QStringLiteral("keys"), tr("Keys")}};
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
  text_->document()->setDocumentMargin(16);
  text_->setOpenExternalLinks(false);
  connect(list_, &QListWidget::currentItemChanged, this, [this](const QListWidgetItem* item) {
    if (!item) return;
    QFile file(QStringLiteral(":/help/%1.md").arg(item->data(Qt::UserRole).toString()));
    if (!file.open(QIODevice::ReadOnly)) return;
    text_->setMarkdown(QString::fromUtf8(file.readAll()));
    for (QTextFrame* frame : text_->document()->rootFrame()->childFrames())
      if (auto* table = qobject_cast<QTextTable*>(frame)) {
        QTextTableFormat format = table->format();
        format.setBorderCollapse(true);
        format.setBorder(1);
        format.setBorderBrush(QColor(0x80, 0x88, 0x92, 110));  // between the lines of both themes
        format.setCellPadding(5);
        format.setCellSpacing(0);
        format.setTopMargin(8);
        format.setBottomMargin(8);
        table->setFormat(format);
      }
  });
  list_->setCurrentRow(0);
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
