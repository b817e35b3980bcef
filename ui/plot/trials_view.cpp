#include "ui/plot/trials_view.h"

#include <QComboBox>
#include <QEvent>
#include <QFrame>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/base/theme.h"
#include "ui/base/widgets.h"
#include "ui/plot/convergence_plot.h"
#include "ui/plot/plot_panel.h"
#include "ui/plot/quantity_text.h"
#include "ui/plot/trial_curves.h"
#include "ui/plot/trials_plot.h"

namespace hyb::ui {
namespace {

constexpr int kNoteColumn = 1, kTrialRow_px = 20;

/// "gap rms 2 (mm)" of "gap_rms_2".
QString columnHeading(const Channel& column) {
  QString name = QString::fromStdString(column.name);
  if (name.startsWith(QLatin1String("tracking_nrmse_percent_"))) name = TrialsView::tr("error %1").arg(name.mid(23));
  name.replace(QLatin1Char('_'), QLatin1Char(' '));
  const QString unit = displayUnit(column.units).text;
  return unit.isEmpty() ? name : QStringLiteral("%1 (%2)").arg(name, unit);
}

}  // namespace

TrialsView::TrialsView(QWidget* parent)
    : QWidget(parent),
      rules_(new QLabel),
      plot_(new TrialsPlot(tr("Error over trials"))),
      panel_(new PlotPanel(plot_)),
      condition_(new ConvergencePlot(tr("Convergence condition"))),
      condition_panel_(new PlotPanel(condition_)),
      curves_(new TrialCurves(tr("Overlay of trials"))),
      curves_panel_(new PlotPanel(curves_)),
      table_(new QTableWidget),
      begin_(new QPushButton) {
  rules_->setWordWrap(true);
  rules_->setObjectName(QStringLiteral("trial-rules"));
  rules_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  rules_->setToolTip(
      tr("The error of a trial is the rms of the gap in percent of the rms of the target, of the worst interface. "
         "Trials that were held or cut short do not count."));
  plot_->setEmptyText(tr("Error of each finished trial: rms of the gap in percent of the rms of the target."));
  table_->setObjectName(QStringLiteral("trials"));
  table_->setAccessibleName(tr("Trials"));
  table_->setEditTriggers(QTableWidget::NoEditTriggers);
  table_->setSelectionBehavior(QTableWidget::SelectRows);
  table_->setSelectionMode(QTableWidget::ExtendedSelection);
  table_->setTabKeyNavigation(false);
  table_->setShowGrid(false);
  table_->setFrameShape(QFrame::NoFrame);
  table_->setFont(figureFont(0.9));
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setMinimumSectionSize(kTrialRow_px);
  table_->verticalHeader()->setDefaultSectionSize(kTrialRow_px);
  table_->horizontalHeader()->setFont(figureFont(0.85));
  table_->horizontalHeader()->setHighlightSections(false);
  table_->horizontalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  auto* rules_frame = new Panel;
  auto* rules_box = new QVBoxLayout(rules_frame);
  rules_box->setContentsMargins(8, 6, 8, 6);
  rules_box->addWidget(rules_);
  auto* table_frame = new Panel;
  auto* table_box = new QVBoxLayout(table_frame);
  table_box->setContentsMargins(8, 6, 8, 8);
  table_box->addWidget(table_);
  auto* parts = new Splitter(Qt::Vertical, nullptr, Splitter::Handle::thin);
  parts->setChildrenCollapsible(false);
  curves_panel_->addControl(curves_->quantity());
  auto* errors = new Splitter(Qt::Horizontal, nullptr, Splitter::Handle::thin);
  errors->setChildrenCollapsible(false);
  errors->addWidget(panel_);
  errors->addWidget(condition_panel_);
  errors->setSizes({500, 420});
  condition_panel_->hide();
  condition_panel_->setToolTip(
      tr("Factor of the error from one trial to the next, for the linear loop. Above 0 dB the error grows: reduce "
         "learning at these frequencies."));
  parts->addWidget(errors);
  parts->addWidget(curves_panel_);
  parts->addWidget(table_frame);
  parts->setSizes({240, 190, 180});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(6);
  layout->addWidget(rules_frame);
  layout->addWidget(parts, 1);
  begin_->setObjectName(QStringLiteral("begin-next-with-trial"));
  begin_->hide();
  table_box->addWidget(begin_, 0, Qt::AlignLeft);
  connect(begin_, &QPushButton::clicked, this, [this] {
    if (const auto row = rowToBeginWith()) Q_EMIT beginRequested(trials_.trial(*row));
  });
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &TrialsView::choose);
}

void TrialsView::setRun(std::shared_ptr<const RunHistory> run) {
  run_ = std::move(run);
  curves_->setTrials(&trials_, run_);
  curves_panel_->updateReading();
}

void TrialsView::showCondition(const Json& learning) {
  condition_->setReport(learning);
  condition_panel_->setVisible(condition_->any());
  condition_panel_->updateReading();
}

std::vector<std::size_t> TrialsView::chosenRows() const {
  std::vector<std::size_t> rows;
  for (const QModelIndex& index : table_->selectionModel()->selectedRows())
    rows.push_back(static_cast<std::size_t>(index.row()));
  std::ranges::sort(rows);
  return rows;
}

/// The single selected row, otherwise the best.
std::optional<std::size_t> TrialsView::rowToBeginWith() const {
  const std::vector<std::size_t> chosen = chosenRows();
  return chosen.size() == 1 ? chosen.front() : trials_.best();
}

void TrialsView::choose() {
  curves_->setChosen(chosenRows());
  curves_panel_->updateReading();
  const std::optional<std::size_t> row = rowToBeginWith();
  begin_->setVisible(opens_ && !trials_.adapted().empty());
  begin_->setEnabled(row.has_value());
  begin_->setText(!row            ? tr("Start next test from a trial")
                  : best_ == *row ? tr("Start next test from the best trial, %1").arg(trials_.trial(*row))
                                  : tr("Start next test from trial %1").arg(trials_.trial(*row)));
  begin_->setToolTip(
      tr("The next test starts from the learnt state of the compensation at the start of this trial, instead of an "
         "empty one. Select one row for a trial other than the best."));
}

void TrialsView::opensTrials() {
  opens_ = true;
  connect(table_, &QTableWidget::cellActivated, this, [this](int at, int) {
    const auto row = static_cast<std::size_t>(at);
    Q_EMIT trialOpened(trials_.begins_s(row), trials_.ends_s(row));
  });
}

void TrialsView::showTrials(TrialList trials, bool over) {
  trials_ = std::move(trials);
  running_ = restored_ = 0;
  repeatability_.clear();
  over_ = over;
  fillHeader();
  for (std::size_t row = 0; row < trials_.count(); ++row) addRow(row);
  best_.reset();
  markFrom(0);
  plot_->fit();
  plot_->setTrials(&trials_);
  panel_->updateReading();
  setRun(nullptr);
  choose();
  say();
}

void TrialsView::append(std::vector<std::vector<double>> rows) {
  if (rows.empty()) return;
  const std::size_t first = trials_.count();
  for (std::vector<double>& row : rows) {
    trials_.append(std::move(row));
    addRow(trials_.count() - 1);
  }
  markFrom(first);
  table_->parentWidget()->show();
  plot_->setTrials(&trials_);
  panel_->updateReading();
  curves_->setTrials(&trials_, run_);
  choose();
  table_->scrollToBottom();
  say();
}

void TrialsView::setRunning(int trial) {
  if (running_ == trial) return;
  running_ = trial;
  say();
}

void TrialsView::end() {
  over_ = true;
  running_ = 0;
  say();
}

void TrialsView::setRestored(int trial) {
  restored_ = trial;
  say();
}

void TrialsView::showRepeatability(const QString& sentence) {
  repeatability_ = sentence;
  say();
}

void TrialsView::say() {
  QStringList all;
  if (trials_.any()) all = trials_.sentences(running_, over_, restored_);
  if (!all.isEmpty() && !repeatability_.isEmpty()) all << repeatability_;
  rules_->setText(all.join(QLatin1Char('\n')));
}

void TrialsView::fillHeader() {
  table_->parentWidget()->setVisible(trials_.count() > 0);
  table_->clear();
  table_->setRowCount(0);
  QStringList names{tr("trial"), {}, tr("from (s)"), tr("error (%)")};
  QStringList meanings{tr("Number of the trial"), tr("Best trial, or reason for not counting"),
                       tr("Start time since Run"), tr("Error of the trial: the largest of its interfaces")};
  const auto add = [&](std::size_t column, const QString& more = {}) {
    const Channel& channel = trials_.columns()[column];
    names << columnHeading(channel);
    meanings << QString::fromStdString(channel.description) + more;
  };
  if (trials_.interfaces() > 1)
    for (std::size_t i = 0; i < trials_.interfaces(); ++i)
      add(trials_.errorColumn(i), tr(", of interface %1").arg(i + 1));
  for (const auto* list : {&trials_.gaps(), &trials_.adapted()})
    for (const std::size_t column : *list) add(column);
  table_->setColumnCount(static_cast<int>(names.size()));
  table_->setHorizontalHeaderLabels(names);
  for (int column = 0; column < table_->columnCount(); ++column)
    table_->horizontalHeaderItem(column)->setToolTip(meanings[column]);
}

void TrialsView::addRow(std::size_t row) {
  const int at = table_->rowCount();
  table_->insertRow(at);
  int column = 0;
  const auto put = [&](const QString& text) {
    auto* item = new QTableWidgetItem(text);
    item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    item->setToolTip(rowMeaning(row));
    table_->setItem(at, column++, item);
  };
  put(QString::number(trials_.trial(row)));
  put({});  // mark() fills it
  put(figureText(trials_.begins_s(row), 5));
  put(numberText(trials_.error(row)));
  if (trials_.interfaces() > 1)
    for (std::size_t i = 0; i < trials_.interfaces(); ++i) put(numberText(trials_.error(row, i)));
  const auto value = [&](std::size_t c) { return trials_.at(row, c) * displayUnit(trials_.columns()[c].units).factor; };
  for (const std::size_t c : trials_.gaps()) put(numberText(value(c), 4));  // small values in mm
  for (const std::size_t c : trials_.adapted()) put(numberText(value(c)));
}

QString TrialsView::rowMeaning(std::size_t row) const {
  QString text = tr("Trial %1, from %2 s on: error %3 %.")
                     .arg(trials_.trial(row))
                     .arg(figureText(trials_.begins_s(row), 5), numberText(trials_.error(row)));
  if (!trials_.whole(row)) text += tr(" It was held or cut short and does not count.");
  if (opens_) text += tr(" Enter or a double click shows its motion.");
  return text;
}

void TrialsView::mark(std::size_t row) {
  const int at = static_cast<int>(row);
  const bool is_best = best_ == row, counts = trials_.counts(row);
  table_->item(at, kNoteColumn)->setText(is_best ? tr("✓ best") : counts ? QString() : tr("× not counted"));
  for (int column = 0; column < table_->columnCount(); ++column) {
    QTableWidgetItem* item = table_->item(at, column);
    item->setFont(figureFont(0.9, is_best));
    item->setForeground(colour(counts ? Role::text : Role::mutedText, palette()));
  }
}

/// Marks these rows, and the former best.
void TrialsView::markFrom(std::size_t first) {
  const auto before = std::exchange(best_, trials_.best());
  if (before && *before < first && before != best_) mark(*before);
  for (std::size_t row = first; row < trials_.count(); ++row) mark(row);
}

void TrialsView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) markFrom(0);
}

}  // namespace hyb::ui
