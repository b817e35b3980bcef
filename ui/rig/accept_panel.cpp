#include "ui/rig/accept_panel.h"

#include <QCheckBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include "ui/base/scrolled.h"
#include "ui/document/field_editors.h"
#include "ui/document/project_document.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

constexpr int kRow_px = 24, kModel_px = 216;

QString changeText(const Json& value, const QString& absent) {
  return value.is_null() ? absent : QString::fromStdString(value.dump());
}

/// Splits changes of lists of equal length into changes of their entries.
std::vector<ProjectChange> oneByOne(const std::vector<ProjectChange>& changes) {
  std::vector<ProjectChange> all;
  for (const ProjectChange& change : changes) {
    if (!change.from.is_array() || !change.to.is_array() || change.from.size() != change.to.size()) {
      all.push_back(change);
      continue;
    }
    for (std::size_t k = 0; k < change.to.size(); ++k)
      if (change.from[k] != change.to[k])
        all.push_back({change.pointer + "/" + std::to_string(k), change.from[k], change.to[k]});
  }
  return all;
}

/// Errors of the project have a pointer; all other messages are sentences about the model.
QString sentencesOf(const InputError& error) {
  QStringList sentences;
  for (const Issue& issue : error.issues()) {
    QString text =
        QString::fromStdString(issue.where.starts_with('/') ? issue.where + " " + issue.message : issue.message);
    sentences << text.left(1).toUpper() + text.mid(1);
  }
  return sentences.join(QLatin1Char('\n'));
}

}  // namespace

AcceptPanel::AcceptPanel(ProjectDocument* document, QWidget* parent)
    : Panel(parent),
      document_(document),
      model_(new QLabel),
      findings_(new QLabel),
      note_(new QLabel),
      twin_(new QCheckBox(tr("Twin"))),
      compensation_(new QCheckBox(tr("Compensation"))),
      changes_(new QTableWidget(0, 3)),
      accept_(new QPushButton(tr("Accept"))) {
  auto* model_title = new QLabel(tr("Model"));
  auto* changes_title = new QLabel(tr("Changes"));
  for (QLabel* title : {model_title, changes_title}) title->setFont(figureFont(1.0, true));
  model_->setObjectName(QStringLiteral("identified-model"));
  model_->setTextFormat(Qt::RichText);
  findings_->setObjectName(QStringLiteral("identified-findings"));
  note_->setObjectName(QStringLiteral("accept-note"));
  for (QLabel* label : {model_, findings_, note_}) {
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  }
  setMark(findings_, "warning");
  twin_->setObjectName(QStringLiteral("accept-twin"));
  twin_->setToolTip(tr("Gives the model to the twin's actuator; its limits and spring stay"));
  compensation_->setObjectName(QStringLiteral("accept-compensation"));
  compensation_->setToolTip(tr("Gives the model to the compensation, if its method uses one"));
  compensation_->setChecked(true);
  accept_->setObjectName(QStringLiteral("accept"));
  accept_->setMinimumHeight(32);
  changes_->setObjectName(QStringLiteral("accept-changes"));
  changes_->setAccessibleName(tr("Changes of the project"));
  changes_->setHorizontalHeaderLabels({tr("Place"), tr("Before"), tr("After")});
  changes_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  changes_->setSelectionBehavior(QAbstractItemView::SelectRows);
  changes_->verticalHeader()->hide();
  changes_->verticalHeader()->setDefaultSectionSize(kRow_px);
  changes_->setTabKeyNavigation(false);
  changes_->setWordWrap(false);
  changes_->setMinimumHeight(48);
  changes_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  changes_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);

  auto* text = new QWidget;
  auto* text_box = new QVBoxLayout(text);
  text_box->setContentsMargins(0, 0, 0, 0);
  text_box->setSpacing(6);
  text_box->addWidget(findings_);
  text_box->addWidget(model_);
  text_box->addStretch();
  auto* left = new QVBoxLayout;
  left->setSpacing(4);
  left->addWidget(model_title);
  QScrollArea* text_area = scrolled(text);
  text_area->setMinimumWidth(kModel_px);
  left->addWidget(text_area, 1);
  auto* head = new QHBoxLayout;
  head->setSpacing(8);
  head->addWidget(changes_title, 1);
  for (QWidget* widget : std::initializer_list<QWidget*>{twin_, compensation_, accept_}) head->addWidget(widget);
  auto* right = new QVBoxLayout;
  right->setSpacing(4);
  right->addLayout(head);
  right->addWidget(changes_, 1);
  auto* note_area = scrolled(note_);
  note_area->setMaximumHeight(56);
  right->addWidget(note_area);
  auto* box = new QHBoxLayout(this);
  box->setContentsMargins(12, 8, 12, 8);
  box->setSpacing(16);
  box->addLayout(left, 2);
  box->addLayout(right, 3);

  for (QCheckBox* choice : {twin_, compensation_}) connect(choice, &QCheckBox::clicked, this, &AcceptPanel::prepare);
  connect(document, &ProjectDocument::checked, this, &AcceptPanel::prepare);
  connect(accept_, &QPushButton::clicked, this, &AcceptPanel::accept);
  setFound(nullptr, false);
}

AcceptPanel::~AcceptPanel() {
  if (wanted_) *wanted_ = false;
}

void AcceptPanel::setFound(std::shared_ptr<const RunIdentification> found, bool on_twin) {
  found_ = std::move(found);
  accepted_.clear();
  if (found_) twin_->setChecked(!on_twin);
  showModel();
  prepare();
}

void AcceptPanel::showModel() {
  QString rows, findings;
  if (found_) {
    const QString part = found_->trial ? tr("trial %1, ").arg(*found_->trial) : QString();
    rows = QStringLiteral("<tr><td style='padding-right:10px'>%1</td><td>%2</td></tr>")
               .arg(tr("rows"), part + tr("%1 to %2 s").arg(numberText(found_->from_s), numberText(found_->to_s)));
    for (const auto& [name, value] : modelFigures(found_->found))
      rows +=
          QStringLiteral("<tr><td style='padding-right:10px'>%1</td><td>%2</td></tr>")
              .arg(QString::fromStdString(name).toHtmlEscaped(),
                   QString::fromStdString(value).replace(QStringLiteral("+-"), QStringLiteral("±")).toHtmlEscaped());
    for (const IdentificationFinding& finding : found_->found.findings)
      findings += (findings.isEmpty() ? "" : "\n") + QString::fromStdString(finding.sentence);
  }
  model_->setText(!found_          ? tr("The model appears here after a fit.")
                  : rows.isEmpty() ? tr("No model was found: the data do not support one.")
                                   : QStringLiteral("<table>%1</table>").arg(rows));
  findings_->setText(findings);
  findings_->setVisible(!findings.isEmpty());
}

/// Computes the changes of the project in its present state.
void AcceptPanel::prepare() {
  if (prepared_ && prepared_->adopted.document == document_->json() && !accepted_.isEmpty()) return;  // just accepted
  accepted_.clear();
  prepared_.reset();
  problem_.clear();
  task_.cancel();
  if (wanted_) *wanted_ = false;
  const AdoptInto into{twin_->isChecked(), compensation_->isChecked()};
  if (!found_ || !(into.twin || into.compensation)) return showChanges();
  wanted_ = std::make_shared<std::atomic<bool>>(true);
  task_.submit([this, into, found = found_, wanted = wanted_, document = document_->json(),
                folder = document_->folder()]() -> LatestTask::Deliver {
    std::shared_ptr<const Prepared> prepared;
    QString problem;
    try {
      RunIdentification own = *found;
      own.spec.watch = [wanted](double) { return wanted->load(); };
      prepared = std::make_shared<const Prepared>(Prepared{document, adoptModel(document, folder, own, into)});
    } catch (const IdentificationCancelled&) {
      // The request has changed in the meantime.
    } catch (const InputError& error) {
      problem = sentencesOf(error);
    } catch (const std::exception& error) {
      problem = QString::fromUtf8(error.what());
    }
    return [this, prepared, problem] {
      prepared_ = prepared;
      problem_ = problem;
      showChanges();
    };
  });
  showChanges();
}

void AcceptPanel::showChanges() {
  const std::vector<ProjectChange> changes =
      prepared_ ? oneByOne(prepared_->adopted.changes) : std::vector<ProjectChange>();
  changes_->setRowCount(static_cast<int>(changes.size()));
  for (std::size_t c = 0; c < changes.size(); ++c) {
    const ProjectChange& change = changes[c];
    const QString cells[] = {QString::fromStdString(change.pointer), changeText(change.from, tr("new")),
                             changeText(change.to, tr("gone"))};
    for (int column = 0; column < 3; ++column) {
      auto* item = new QTableWidgetItem(cells[column]);
      item->setToolTip(cells[column]);
      changes_->setItem(static_cast<int>(c), column, item);
    }
  }
  QStringList notes;
  if (!accepted_.isEmpty()) notes << accepted_;
  if (!problem_.isEmpty()) notes << problem_;
  if (found_ && task_.busy() && !prepared_ && problem_.isEmpty()) notes << tr("Computing the changes...");
  if (found_ && !twin_->isChecked() && !compensation_->isChecked()) notes << tr("Choose twin, compensation or both.");
  if (prepared_) {
    if (changes.empty()) notes << tr("The project does not change.");
    for (const std::string& remark : prepared_->adopted.remarks) notes << QString::fromStdString(remark);
  }
  note_->setText(notes.join(QLatin1Char('\n')));
  setMark(note_, problem_.isEmpty() ? accepted_.isEmpty() ? "" : "ok" : "error");
  updateButton();
}

void AcceptPanel::updateButton() {
  for (QCheckBox* choice : {twin_, compensation_}) choice->setEnabled(found_ != nullptr && blocked_.isEmpty());
  accept_->setEnabled(prepared_ && !prepared_->adopted.changes.empty() && accepted_.isEmpty() && blocked_.isEmpty());
  accept_->setToolTip(blocked_.isEmpty() ? tr("Writes these values into the project; Ctrl+Z undoes this") : blocked_);
}

void AcceptPanel::setBlocked(const QString& why) {
  blocked_ = why;
  updateButton();
}

void AcceptPanel::accept() {
  if (!prepared_ || prepared_->of != document_->json())
    return prepare();  // edited in the meantime: show the new changes first
  const int count = changes_->rowCount();
  accepted_ = count == 1 ? tr("Accepted: 1 value of the project changed. Ctrl+Z undoes this.")
                         : tr("Accepted: %1 values of the project changed. Ctrl+Z undoes this.").arg(count);
  document_->endEdit();
  document_->replace(prepared_->adopted.document,
                     tr("identified model of %1").arg(QString::fromStdString(found_->output)));
  document_->endEdit();
  showChanges();
  Q_EMIT accepted(accepted_);
}

}  // namespace hyb::ui
