#include "ui/configure/configure_workspace.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>

#include "ui/configure/delay_view.h"
#include "ui/configure/issue_list.h"
#include "ui/configure/json_editor.h"
#include "ui/configure/partition_editor.h"
#include "ui/configure/project_document.h"
#include "ui/configure/schema_tools.h"
#include "ui/configure/schematic.h"
#include "ui/configure/section_form.h"
#include "ui/icons.h"

namespace hyb::ui {
namespace {

struct Section {
  const char* pointer;
  const char* title;
  const char* help;
};
constexpr Section kSections[] = {
    {"/meta", QT_TRANSLATE_NOOP("Sections", "Meta"), "project-file"},
    {"/structure", QT_TRANSLATE_NOOP("Sections", "Structure"), "project-file"},
    {"/partition", QT_TRANSLATE_NOOP("Sections", "Partition"), "project-file"},
    {"/excitation", QT_TRANSLATE_NOOP("Sections", "Excitation"), "project-file"},
    {"/integrator", QT_TRANSLATE_NOOP("Sections", "Integrator"), "project-file"},
    {"/compensation", QT_TRANSLATE_NOOP("Sections", "Compensation"), "compensation"},
    {"/rig", QT_TRANSLATE_NOOP("Sections", "Rig"), "project-file"},
    {"/safety", QT_TRANSLATE_NOOP("Sections", "Safety"), "safety"},
    {"/recording", QT_TRANSLATE_NOOP("Sections", "Recording"), "run-files"},
    {"/loop", QT_TRANSLATE_NOOP("Sections", "Loop"), "real-time"},
    {"/analysis", QT_TRANSLATE_NOOP("Sections", "Analysis"), "reading-the-plots"},
};

QFrame* makePanel(QWidget* content) {
  auto* panel = new QFrame;
  panel->setProperty("panel", true);
  auto* box = new QVBoxLayout(panel);
  box->setContentsMargins(12, 12, 12, 12);
  box->addWidget(content);
  return panel;
}

QFont heading(const QWidget* widget) {
  QFont font = widget->font();
  font.setPointSizeF(font.pointSizeF() * 1.3);
  font.setWeight(QFont::DemiBold);
  return font;
}

}  // namespace

ConfigureWorkspace::ConfigureWorkspace(ProjectDocument* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      sections_(new QListWidget),
      tabs_(new QTabWidget),
      stack_(new QStackedWidget),
      form_(new SectionForm(document)),
      partition_(new PartitionEditor(document)),
      json_(new JsonEditor(document)),
      schematic_(new Schematic(document)),
      delay_(new DelayView),
      issues_(new IssueList),
      title_(new QLabel),
      description_(new QLabel),
      note_(new QLabel),
      hint_(new QLabel),
      locked_(new QLabel(tr("A test is active: the project can be read, not changed."))) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 8, 8, 8);
  row->setSpacing(8);
  sections_->setObjectName(QStringLiteral("sections"));
  sections_->setAccessibleName(tr("Sections of the project"));
  sections_->setFixedWidth(152);
  sections_->setFrameShape(QFrame::NoFrame);
  sections_->setProperty("nav", true);
  sections_->setIconSize({14, 14});
  for (const Section& section : kSections) {
    auto* item = new QListWidgetItem(QCoreApplication::translate("Sections", section.title), sections_);
    item->setData(Qt::UserRole, QString::fromLatin1(section.pointer));
    item->setSizeHint({120, 32});
  }
  auto* splitter = new QSplitter;
  splitter->setChildrenCollapsible(false);
  splitter->setHandleWidth(8);
  splitter->addWidget(makeMiddle());
  splitter->addWidget(makeRight());
  splitter->setStretchFactor(0, 6);
  splitter->setStretchFactor(1, 5);
  splitter->setSizes({612, 484});
  row->addWidget(sections_);
  row->addWidget(splitter, 1);

  connect(sections_, &QListWidget::currentRowChanged, this, [this](int index) {
    if (index >= 0) showSection(kSections[index].pointer);
  });
  connect(document, &ProjectDocument::checked, this, &ConfigureWorkspace::showIssues);
  connect(document, &ProjectDocument::changed, this, &ConfigureWorkspace::refreshNote);
  connect(document, &ProjectDocument::valid, delay_, &DelayView::setProject);
  connect(issues_, &IssueList::goTo, this, [this](const QString& pointer) { goTo(pointer.toStdString()); });
  connect(form_, &SectionForm::hint, this, [this](const QString& title, const QString& text) {
    hint_->setText(QStringLiteral("<b>%1.</b> %2")
                       .arg(title.toHtmlEscaped(), text.section(QLatin1Char('\n'), 0, 0).toHtmlEscaped()));
  });
  sections_->setCurrentRow(1);
  setFocusProxy(sections_);
}

QWidget* ConfigureWorkspace::makeMiddle() {
  auto* head = new QHBoxLayout;
  title_->setFont(heading(title_));
  auto* help = new QToolButton;
  help->setIcon(icon(QStringLiteral("help"), Role::mutedText));
  help->setFixedSize(28, 28);
  help->setToolTip(tr("Help for this section (F1)"));
  help->setAccessibleName(tr("Help for this section"));
  connect(help, &QToolButton::clicked, this, [this] { Q_EMIT helpWanted(helpPage()); });
  head->addWidget(title_);
  head->addStretch();
  head->addWidget(help);
  for (QLabel* label : {description_, hint_, note_}) label->setWordWrap(true);
  description_->setProperty("muted", true);
  hint_->setProperty("muted", true);
  hint_->setMinimumHeight(2 * hint_->fontMetrics().lineSpacing() + 4);
  hint_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  hint_->setObjectName(QStringLiteral("hint"));
  note_->setObjectName(QStringLiteral("noise-gain"));
  note_->setTextFormat(Qt::RichText);
  locked_->setProperty("mark", "warning");
  locked_->hide();

  auto* page = new QWidget;
  auto* box = new QVBoxLayout(page);
  box->setContentsMargins(0, 12, 0, 0);
  box->setSpacing(8);
  box->addLayout(head);
  box->addWidget(description_);
  box->addWidget(locked_);
  stack_->addWidget(form_);
  stack_->addWidget(partition_);
  box->addWidget(stack_, 1);
  box->addWidget(note_);
  box->addWidget(hint_);
  tabs_->addTab(page, tr("Form"));
  tabs_->addTab(json_, tr("JSON"));
  tabs_->setDocumentMode(true);
  tabs_->tabBar()->setDrawBase(false);
  QFrame* panel = makePanel(tabs_);
  panel->layout()->setContentsMargins(12, 4, 12, 8);
  return panel;
}

QWidget* ConfigureWorkspace::makeRight() {
  auto* right = new QSplitter(Qt::Vertical);
  right->setChildrenCollapsible(false);
  right->setHandleWidth(8);
  auto* drawing = new QScrollArea;  // only a long row of masses needs it
  drawing->setWidget(schematic_);
  drawing->setWidgetResizable(true);
  drawing->setFrameShape(QFrame::NoFrame);
  drawing->setFocusPolicy(Qt::NoFocus);
  drawing->setMinimumHeight(200);
  schematic_->setAutoFillBackground(false);
  drawing->viewport()->setAutoFillBackground(false);
  QFrame* drawing_panel = makePanel(drawing);
  drawing_panel->layout()->setContentsMargins(4, 4, 4, 4);
  QFrame* delay_panel = makePanel(delay_);
  delay_panel->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  right->addWidget(drawing_panel);
  right->addWidget(delay_panel);
  right->addWidget(makePanel(issues_));
  right->setStretchFactor(0, 3);
  right->setStretchFactor(2, 2);
  right->setSizes({280, 200, 160});
  return right;
}

void ConfigureWorkspace::setReadOnly(bool read_only) {
  read_only_ = read_only;
  locked_->setVisible(read_only);
  form_->setReadOnly(read_only);
  partition_->setReadOnly(read_only);
  json_->setReadOnly(read_only);
  schematic_->setEditing(section() == "/partition" && !read_only);
}

std::string ConfigureWorkspace::section() const {
  const QListWidgetItem* item = sections_->currentItem();
  return item ? item->data(Qt::UserRole).toString().toStdString() : std::string();
}

void ConfigureWorkspace::showSection(const std::string& section) {
  for (int i = 0; i < sections_->count(); ++i)
    if (section == kSections[i].pointer && sections_->currentRow() != i) return sections_->setCurrentRow(i);
  const bool partition = section == "/partition";
  const Json& node = resolved(projectSchema()["properties"][section.substr(1)]);
  title_->setText(schemaText(node, "title"));
  QString text = schemaText(node, "description");
  if (partition) text += QLatin1Char(' ') + tr("Check the boxes, or click in the drawing.");
  description_->setText(text);
  stack_->setCurrentWidget(partition ? static_cast<QWidget*>(partition_) : form_);
  if (!partition) form_->showSection(section);
  schematic_->setEditing(partition && !read_only_);
  hint_->setText(partition ? QString() : tr("Click into a field to read what it means."));
  refreshNote();
}

void ConfigureWorkspace::goTo(const std::string& pointer) {
  const std::string section = pointer.substr(0, pointer.find('/', 1));
  for (const Section& known : kSections)
    if (section == known.pointer) {
      showSection(section);
      tabs_->setCurrentIndex(0);
      if (section != "/partition") form_->focusField(pointer);
      return;
    }
  tabs_->setCurrentWidget(json_);  // an unknown section, or the document as a whole: only the text shows it
}

QString ConfigureWorkspace::helpPage() const {
  const int row = sections_->currentRow();
  return QString::fromLatin1(row < 0 ? "first-test" : kSections[row].help);
}

bool ConfigureWorkspace::textPending() const { return json_->pending(); }

void ConfigureWorkspace::showIssues() {
  const std::vector<Issue>& found = document_->issues();
  issues_->setIssues(found);
  delay_->setStale(!found.empty());
  for (int i = 0; i < sections_->count(); ++i) {
    const std::string pointer = kSections[i].pointer;
    const auto count = std::count_if(found.begin(), found.end(), [&](const Issue& issue) {
      return issue.where == pointer || issue.where.starts_with(pointer + "/");
    });
    QListWidgetItem* item = sections_->item(i);
    item->setIcon(count > 0 ? icon(QStringLiteral("error"), Role::error) : QIcon());
    item->setToolTip(count > 0 ? (count == 1 ? tr("1 error") : tr("%1 errors").arg(count)) : QString());
  }
}

void ConfigureWorkspace::refreshNote() {
  const Json* compensation = section() == "/compensation" ? document_->at("/compensation") : nullptr;
  note_->setText(compensation ? noiseGainText(*compensation) : QString());
  note_->setVisible(!note_->text().isEmpty());
}

}  // namespace hyb::ui
