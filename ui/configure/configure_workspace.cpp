#include "ui/configure/configure_workspace.h"
#include "core/project/families.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <algorithm>

#include "ui/base/icons.h"
#include "ui/base/widgets.h"
#include "ui/configure/cut_map_panel.h"
#include "ui/configure/delay_figures.h"
#include "ui/configure/delay_view.h"
#include "ui/configure/issue_list.h"
#include "ui/configure/json_editor.h"
#include "ui/configure/spring_panel.h"
#include "ui/configure/structure_panel.h"
#include "ui/configure/structure_view.h"
#include "ui/document/project_document.h"
#include "ui/document/schema_tools.h"
#include "ui/document/section_form.h"

namespace hyb::ui {
namespace {

struct Section {
  const char* pointer;
  const char* title;
  const char* help;
};
constexpr Section kSections[] = {
    {"/meta", QT_TRANSLATE_NOOP("Sections", "Meta"), "project-file"},
    {"/structure", QT_TRANSLATE_NOOP("Sections", "Structure"), "structures"},
    {"/partition", QT_TRANSLATE_NOOP("Sections", "Partition"), "cuts"},
    {"/excitation", QT_TRANSLATE_NOOP("Sections", "Excitation"), "project-file"},
    {"/integrator", QT_TRANSLATE_NOOP("Sections", "Integrator"), "integrators"},
    {"/coupling", QT_TRANSLATE_NOOP("Sections", "Coupling"), "coupling"},
    {"/compensation", QT_TRANSLATE_NOOP("Sections", "Compensation"), "compensation"},
    {"/rig", QT_TRANSLATE_NOOP("Sections", "Rig"), "project-file"},
    {"/safety", QT_TRANSLATE_NOOP("Sections", "Safety"), "safety"},
    {"/recording", QT_TRANSLATE_NOOP("Sections", "Recording"), "run-files"},
    {"/loop", QT_TRANSLATE_NOOP("Sections", "Loop"), "real-time"},
    {"/analysis", QT_TRANSLATE_NOOP("Sections", "Analysis"), "reading-the-plots"},
};

QFrame* makePanel(QWidget* content) {
  auto* panel = new Panel;
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
      form_(new SectionForm(document)),
      json_(new JsonEditor(document)),
      drawing_(new StructurePanel(document)),
      map_(new CutMapPanel(document)),
      springs_(new SpringPanel(document)),
      delay_(new DelayView),
      issues_(new IssueList),
      title_(new QLabel),
      description_(new QLabel),
      summary_(new QLabel),
      left_out_(new QLabel),
      note_(new QLabel),
      hint_(new QLabel),
      locked_(new QLabel(tr("A test is active: the project is read-only."))) {
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
  auto* splitter = new Splitter(Qt::Horizontal);
  splitter->setChildrenCollapsible(false);
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
  connect(document, &ProjectDocument::opened, delay_, &DelayView::forget);
  connect(document, &ProjectDocument::valid, delay_, &DelayView::setProject);
  connect(document, &ProjectDocument::opened, springs_, &SpringPanel::forget);
  connect(document, &ProjectDocument::valid, springs_, &SpringPanel::setProject);
  connect(springs_, &SpringPanel::appliesChanged, this, &ConfigureWorkspace::arrange);
  connect(delay_, &DelayView::updated, this, &ConfigureWorkspace::showFigures);
  connect(delay_, &DelayView::outdated, this, &ConfigureWorkspace::showFigures);
  connect(drawing_->view(), &StructureView::sceneChanged, this, &ConfigureWorkspace::followCut);
  connect(map_, &CutMapPanel::progressed, this, &ConfigureWorkspace::followCut);
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
  for (QLabel* label : {description_, summary_, left_out_, hint_, note_}) label->setWordWrap(true);
  summary_->setObjectName(QStringLiteral("cut-summary"));
  left_out_->setObjectName(QStringLiteral("left-out"));
  left_out_->setTextFormat(Qt::RichText);
  left_out_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  description_->setProperty("muted", true);
  hint_->setProperty("muted", true);
  hint_->setTextFormat(Qt::RichText);
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
  box->addWidget(summary_);
  box->addWidget(form_, 1);
  box->addWidget(left_out_);
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
  auto* right = new Splitter(Qt::Vertical);
  right->setChildrenCollapsible(false);
  QFrame* delay_panel = makePanel(delay_);
  delay_panel->layout()->setContentsMargins(12, 8, 12, 8);
  delay_panel->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  issues_panel_ = makePanel(issues_);
  map_->setMinimumHeight(150);
  drawing_->setMinimumHeight(200);
  right->addWidget(drawing_);
  right->addWidget(map_);
  right->addWidget(springs_);
  right->addWidget(delay_panel);
  right->addWidget(issues_panel_);
  right->setStretchFactor(0, 4);
  right->setStretchFactor(1, 3);
  right->setStretchFactor(2, 4);
  right->setStretchFactor(4, 2);
  right->setSizes({320, 200, 320, 190, 130});
  return right;
}

void ConfigureWorkspace::setReadOnly(bool read_only) {
  read_only_ = read_only;
  locked_->setVisible(read_only);
  form_->setReadOnly(read_only);
  json_->setReadOnly(read_only);
  arrange();
}

void ConfigureWorkspace::arrange() {
  const bool partition = section() == "/partition";
  drawing_->setEditing(partition && !read_only_);
  map_->setEditing(!read_only_);
  map_->setVisible(partition);
  const bool springs = section() == "/coupling" && springs_->applies();
  springs_->setEditing(!read_only_);
  springs_->setVisible(springs);
  drawing_->setVisible(!springs);
  summary_->setVisible(partition);
  left_out_->setVisible(partition && !left_out_->text().isEmpty());
  issues_panel_->setVisible(!(partition || springs) || !document_->issues().empty());
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
  if (partition)
    text += QLatin1Char(' ') +
            tr("In the drawing, click a part to move it to the other side, or drag the line of the cut.");
  description_->setText(text);
  form_->showSection(section);
  arrange();
  hint_->setText(tr("Click a field to read its meaning."));
  refreshNote();
}

void ConfigureWorkspace::goTo(const std::string& pointer) {
  for (const char* elsewhere : {"/rig/connection", "/rig/channels"})
    if (pointer.starts_with(elsewhere)) return Q_EMIT rigWanted(QString::fromStdString(pointer));
  const std::string section = pointer.substr(0, pointer.find('/', 1));
  for (const Section& known : kSections)
    if (section == known.pointer) {
      showSection(section);
      tabs_->setCurrentIndex(0);
      form_->focusField(pointer);
      return;
    }
  tabs_->setCurrentWidget(json_);  // only the JSON text shows an unknown section or the whole document
}

QString ConfigureWorkspace::helpPage() const {
  const int row = sections_->currentRow();
  if (row < 0) return QStringLiteral("first-test");
  // The innermost object around the cursor that selects a family member determines the page.
  const std::string focused = form_->focusedField();
  for (std::string at = focused.starts_with(section()) ? focused : section(); !at.empty(); at.erase(at.rfind('/')))
    if (const Json* value = document_->at(at))
      for (const Family& family : families())
        if (const FamilyMember* member = chosenMember(family, *value)) return QString::fromStdString(member->page);
  return QString::fromLatin1(kSections[row].help);
}

bool ConfigureWorkspace::textPending() const { return json_->pending(); }

void ConfigureWorkspace::showIssues() {
  const std::vector<Issue>& found = document_->issues();
  issues_->setIssues(found);
  delay_->setStale(!found.empty());
  summary_->setText(cutSummary());
  arrange();
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

void ConfigureWorkspace::showFigures() {
  const bool current = delay_->figures() && document_->issues().empty();
  const DelayFigures* figures = current ? &*delay_->figures() : nullptr;
  map_->setFigures(figures);
  drawing_->setModes(figures ? &figures->modes : nullptr);
  QStringList lines;
  if (figures)
    for (const std::string& remark : figures->left_out)
      lines << QStringLiteral("<li>%1</li>").arg(QString::fromStdString(remark).toHtmlEscaped());
  left_out_->setText(
      lines.isEmpty()
          ? QString()
          : tr("<b>Parts left out by the cut</b><ul style='margin:0 0 0 -20px'>%1</ul>").arg(lines.join(QString())));
  left_out_->setVisible(!lines.isEmpty() && section() == "/partition");
}

void ConfigureWorkspace::followCut() {
  const StructureScene& scene = drawing_->view()->scene();
  map_->setScene(scene);
  const std::optional<CutLine> line = scene.presentLine();
  const CutPoint* known = line ? map_->map()->pointAt(line->position_m) : nullptr;
  drawing_->view()->setCutNote(known ? map_->map()->textOf(*known) : QString());
}

QString ConfigureWorkspace::cutSummary() const {
  for (const Issue& issue : document_->issues())
    if (issue.where.starts_with("/partition")) return QString::fromStdString(issue.message);
  const std::vector<std::string>& dofs = document_->interfaceDofs();
  QStringList names;
  for (std::size_t i = 0; i < std::min<std::size_t>(dofs.size(), 8); ++i) names << QString::fromStdString(dofs[i]);
  if (names.isEmpty()) return tr("There is no interface yet. Put a part on the rig and leave a part computed.");
  if (dofs.size() > 8) names << tr("and %1 more").arg(dofs.size() - 8);
  return tr("Interface: %1. %2")
      .arg(names.join(QStringLiteral(", ")), dofs.size() == 1
                                                 ? tr("1 actuator drives the interface.")
                                                 : tr("%1 actuators drive the interface.").arg(dofs.size()));
}

void ConfigureWorkspace::refreshNote() {
  const Json* compensation = section() == "/compensation" ? document_->at("/compensation") : nullptr;
  const Json* rate = document_->at("/loop/rate_hz");
  const double rate_hz = rate != nullptr && rate->is_number() ? rate->get<double>() : 0.0;
  note_->setText(compensation && rate_hz > 0.0 ? compensationRemarks(*compensation, 1.0 / rate_hz, document_->folder())
                                               : QString());
  note_->setVisible(!note_->text().isEmpty());
}

}  // namespace hyb::ui
