#include "ui/fidelity/study_results.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/base/error.h"
#include "ui/base/widgets.h"
#include "ui/fidelity/statistics_table.h"
#include "ui/fidelity/study_curves.h"
#include "ui/fidelity/study_table_model.h"
#include "ui/plot/plot_panel.h"
#include "ui/plot/quantity_text.h"
#include "ui/plot/scatter_plot.h"

namespace hyb::ui {
namespace {

constexpr int kSeed = -1, kNoValue = -2, kAll = -3;  // used instead of a plan column
constexpr int kFirstCurve = 1 << 20;                 // used instead of a figure: first kind of curves

constexpr int kWidestColumn_px = 240;  // varied values may be long lists

QComboBox* chooser(const QString& name) {
  auto* combo = new QComboBox;
  combo->setAccessibleName(name);
  combo->setToolTip(name);
  combo->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  combo->setMinimumContentsLength(8);
  return combo;
}

QString plain(const std::string& name) {
  return QString::fromStdString(name).replace(QLatin1Char('_'), QLatin1Char(' '));
}

/// Fills a chooser; `keep`: keeps the choice with this text.
void refill(QComboBox* combo, const QList<std::pair<QString, int>>& entries, int usual, bool keep) {
  const QSignalBlocker quiet(combo);
  const QString before = combo->currentText();
  combo->clear();
  for (const auto& [text, data] : entries) combo->addItem(text, data);
  const int kept = keep ? combo->findText(before) : -1;
  combo->setCurrentIndex(kept >= 0 ? kept : std::min(usual, combo->count() - 1));
}

}  // namespace

StudyResults::StudyResults(QWidget* parent)
    : QWidget(parent),
      model_(new StudyTableModel(this)),
      sorted_(new QSortFilterProxyModel(this)),
      view_(new QTableView),
      plot_(new ScatterPlot(tr("All runs"))),
      phase_(new ScatterPlot(tr("Phase"))),
      panel_(new PlotPanel(plot_)),
      phase_panel_(new PlotPanel(phase_)),
      x_(chooser(tr("Horizontal axis: varied value"))),
      y_(chooser(tr("Vertical axis: figure or curves of the runs"))),
      group_(chooser(tr("One curve for each value of"))),
      tables_(new PageTabs),
      statistics_(new StatisticsTable),
      open_(new QPushButton(tr("Open this run"))) {
  plot_->setEmptyText(
      tr("Figures over varied values appear here.\nAdd a variation and press Run study, or open a study file."));
  x_->setObjectName(QStringLiteral("study-x"));
  y_->setObjectName(QStringLiteral("study-y"));
  group_->setObjectName(QStringLiteral("study-group"));
  sorted_->setSourceModel(model_);
  sorted_->setSortRole(StudyTableModel::kSortRole);
  view_->setObjectName(QStringLiteral("study-runs"));
  view_->setModel(sorted_);
  view_->setSortingEnabled(true);
  view_->sortByColumn(0, Qt::AscendingOrder);
  view_->setSelectionBehavior(QAbstractItemView::SelectRows);
  view_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  view_->setToolTip(tr("Choose one run to highlight its curve; choose several to show only their curves"));
  view_->setShowGrid(false);
  view_->setFrameShape(QFrame::NoFrame);
  view_->setAccessibleName(tr("Runs of the study"));
  view_->setFont(figureFont(0.9));
  view_->verticalHeader()->hide();
  view_->verticalHeader()->setDefaultSectionSize(22);
  view_->horizontalHeader()->setFont(figureFont(0.85));
  view_->horizontalHeader()->setHighlightSections(false);
  view_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  open_->setObjectName(QStringLiteral("open-run"));

  auto* choices = new QHBoxLayout;
  choices->setSpacing(8);
  const std::pair<QString, QComboBox*> fields[] = {{tr("Show"), y_}, {tr("over"), x_}, {tr("for each"), group_}};
  for (const auto& [text, combo] : fields) {
    auto* label = new QLabel(text);
    label->setBuddy(combo);
    if (combo == x_) over_ = label;
    choices->addWidget(label);
    choices->addWidget(combo);
    connect(combo, &QComboBox::currentIndexChanged, this, &StudyResults::replot);
  }
  choices->addStretch(1);
  auto* upper = new QWidget;
  auto* upper_box = new QVBoxLayout(upper);
  upper_box->setContentsMargins(0, 0, 0, 0);
  upper_box->setSpacing(6);
  upper_box->addLayout(choices);
  upper_box->addWidget(panel_, 3);
  upper_box->addWidget(phase_panel_, 2);
  phase_panel_->hide();
  for (const auto& [from, to] : {std::pair{plot_, phase_}, std::pair{phase_, plot_}}) {
    connect(from, &ScatterPlot::rangeChosen, to, &ScatterPlot::followRange);
    connect(from, &ScatterPlot::curvePicked, this, &StudyResults::select);
  }
  auto* lower = new Panel;
  tables_->setDocumentMode(true);
  tables_->addTab(view_, tr("Runs"));
  tables_->addTab(statistics_, tr("Statistics"));
  tables_->setTabVisible(1, false);
  tables_->setCornerWidget(open_);
  connect(statistics_, &StatisticsTable::ready, this, [this] { tables_->setTabVisible(1, statistics_->any()); });
  auto* lower_box = new QVBoxLayout(lower);
  lower_box->setContentsMargins(8, 4, 8, 8);
  lower_box->addWidget(tables_);
  auto* splitter = new Splitter(Qt::Vertical);
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(upper);
  splitter->addWidget(lower);
  splitter->setSizes({400, 240});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(splitter);
  const auto open = [this] {
    if (const auto run = selectedRun(); run && open_->isEnabled()) Q_EMIT openRequested(*run);
  };
  connect(open_, &QPushButton::clicked, this, open);
  connect(view_, &QTableView::activated, this, open);
  connect(view_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &StudyResults::followSelection);
  updateOpen();
}

const StudyTable& StudyResults::table() const { return model_->table(); }

void StudyResults::show(StudyTable table, const std::filesystem::path& file, const std::filesystem::path& folder) {
  QList<std::pair<QString, int>> varied, groups{{tr("nothing"), kNoValue}};
  std::optional<std::size_t> across;  // usually the first numeric column; the next one groups the curves
  int curves = 0;
  for (std::size_t v = 0; v < table.plan.size(); ++v) {
    const auto entry = std::pair(QString::fromStdString(table.plan[v].name), static_cast<int>(v));
    if (table.plan[v].words.empty()) varied << entry;
    groups << entry;
    if (table.plan[v].words.empty() && !across)
      across = v;
    else if (curves == 0)
      curves = static_cast<int>(v) + 1;
  }
  varied << std::pair(tr("seed"), kSeed);
  if (table.study.contains("random")) curves = 0;  // each sample would be a curve of its own
  // Values varied side by side form one combined value.
  if (table.plan.size() > 1 && table.study.value("combine", "") == std::string("together")) {
    groups.insert(1, std::pair(tr("all that was varied"), kAll));
    const bool schemes = std::ranges::any_of(table.plan, [](const auto& column) { return !column.words.empty(); });
    curves = schemes || curves == 0 ? 1 : curves + 1;
  }
  const auto same = [](const StudyTable::Column& a, const StudyTable::Column& b) { return a.name == b.name; };
  const std::vector<StudyTable::Column>& before = model_->table().plan;
  const bool keep = std::equal(before.begin(), before.end(), table.plan.begin(), table.plan.end(), same);
  model_->setTable(std::move(table));
  refill(x_, varied, 0, keep);
  refill(group_, groups, curves, keep);
  readCurves(file, folder, keep);
  statistics_->show(model_->table(), folder);
  view_->resizeColumnsToContents();
  for (int column = 0; column < model_->columnCount(); ++column)
    view_->setColumnWidth(column, std::min(view_->columnWidth(column), kWidestColumn_px));
  replot();
  updateOpen();
}

/// `keep`: keeps the choice by its text. Otherwise shows the curves, because the study keeps them for this purpose.
void StudyResults::readCurves(const std::filesystem::path& file, const std::filesystem::path& folder, bool keep) {
  reading_.cancel();
  const QString wanted = y_->currentText();
  curves_.reset();
  fillFigures();
  const StudyTable& table = model_->table();
  if (file.empty() || (!table.segments && !table.traces)) return;
  reading_.submit([this, file, folder, table, wanted, keep]() -> LatestTask::Deliver {
    std::shared_ptr<const StudyCurves> made;
    QString problem;
    try {
      made = std::make_shared<const StudyCurves>(StudyCurves::of(file, table, folder));
    } catch (const std::exception& error) {
      problem = tr("The curves of the runs cannot be read: %1").arg(QString::fromUtf8(error.what()));
    }
    return [this, made, problem, wanted, keep] {
      curves_ = made;
      fillFigures();
      y_->setToolTip(problem.isEmpty() ? y_->accessibleName() : problem);
      const int kept = keep ? y_->findText(wanted) : -1, first = y_->findData(kFirstCurve);
      if (kept >= 0 || first >= 0) y_->setCurrentIndex(kept >= 0 ? kept : first);
      replot();
      Q_EMIT curvesReady();
    };
  });
}

void StudyResults::fillFigures() {
  QList<std::pair<QString, int>> entries;
  const StudyTable& table = model_->table();
  for (std::size_t f = 0; f < table.figures.size(); ++f)
    entries << std::pair(plain(table.figures[f].name), static_cast<int>(f));
  for (std::size_t k = 0; curves_ && k < curves_->kinds().size(); ++k)
    entries << std::pair(curves_->kinds()[k].title, kFirstCurve + static_cast<int>(k));
  refill(y_, entries, 0, true);
}

std::optional<std::size_t> StudyResults::curveKind() const {
  const QVariant chosen = y_->currentData();
  if (!chosen.isValid() || chosen.toInt() < kFirstCurve || !curves_) return {};
  return static_cast<std::size_t>(chosen.toInt() - kFirstCurve);
}

void StudyResults::replot() {
  const auto kind = curveKind();
  const bool phase = kind && curves_->kinds()[*kind].hasPhase();
  for (QWidget* across : {static_cast<QWidget*>(over_), static_cast<QWidget*>(x_)}) across->setVisible(!kind);
  phase_panel_->setVisible(phase);
  if (kind)
    plotCurves(*kind);
  else if (y_->currentData().isValid() && x_->currentData().isValid())
    plotFigure(static_cast<std::size_t>(y_->currentData().toInt()));
  else
    plot_->setData({});
  panel_->updateReading();
  phase_panel_->updateReading();
}

std::vector<std::size_t> StudyResults::curvedRuns() const {
  std::vector<std::size_t> runs = selectedRuns();
  if (runs.size() > 1) return runs;
  runs.resize(model_->table().status.size());
  std::iota(runs.begin(), runs.end(), std::size_t{0});
  return runs;
}

void StudyResults::plotCurves(std::size_t kind) {
  const StudyTable& table = model_->table();
  const int by = group_->currentData().isValid() ? group_->currentData().toInt() : kNoValue;
  curved_ = curvedRuns();
  const auto shown = [&](int column) {
    return curves_->shown(
        curves_->kinds()[kind], curved_, [this](std::size_t run) { return model_->runText(run); },
        [&, column](std::size_t run) {
          if (column == kNoValue) return QString();
          if (column == kAll) return QString::fromStdString(table.label[run]);
          const auto v = static_cast<std::size_t>(column);
          const std::vector<std::string>& words = table.plan[v].words;
          const bool speaks = !words.empty() && words[run].starts_with('{');  // "lms, gain 10"
          return speaks ? model_->varied(v, run)
                        : plain(table.plan[v].name) + QLatin1Char(' ') + model_->varied(v, run);
        });
  };
  StudyCurves::Shown made = shown(by);
  const std::size_t most = made.curves.curved() ? ScatterData::kMostFamilies : ScatterData::kMostGroups;
  if (made.curves.groups.size() > most) made = shown(kNoValue);  // too many to distinguish
  plot_->setData(std::move(made.curves));
  phase_->setData(std::move(made.phase));
  const std::vector<std::size_t> chosen = selectedRuns();
  for (ScatterPlot* plot : {plot_, phase_})
    plot->emphasise(chosen.size() == 1 ? std::optional(chosen.front()) : std::nullopt);
}

void StudyResults::select(std::size_t run) {
  const QModelIndex row = sorted_->mapFromSource(model_->index(static_cast<int>(run), 0));
  view_->selectRow(row.row());
  view_->scrollTo(row);
}

void StudyResults::followSelection() {
  updateOpen();
  if (!curveKind()) return;
  if (curvedRuns() != curved_) return replot();
  const std::vector<std::size_t> chosen = selectedRuns();
  for (ScatterPlot* plot : {plot_, phase_})
    plot->emphasise(chosen.size() == 1 ? std::optional(chosen.front()) : std::nullopt);
  panel_->updateReading();
  phase_panel_->updateReading();
}

void StudyResults::plotFigure(std::size_t y) {
  const StudyTable& table = model_->table();
  const int x = x_->currentData().toInt();
  const int by = group_->currentData().isValid() ? group_->currentData().toInt() : kNoValue;
  ScatterData shown;
  const StudyTable::Column& figure = table.figures[y];
  const StudyTable::Column* across = x == kSeed ? nullptr : &table.plan[static_cast<std::size_t>(x)];
  shown.x = {across ? plain(across->name) : tr("seed"),
             {1.0, across ? QString::fromStdString(across->units) : QString()}};
  shown.y = {plain(figure.name), model_->unitOf(y)};
  bool split = by != kNoValue && by != x;
  std::map<QString, std::size_t> known;
  for (std::size_t run = 0; run < table.status.size(); ++run) {
    QString name;
    if (split && by == kAll)
      name = QString::fromStdString(table.label[run]);
    else if (split)
      name = QStringLiteral("%1 = %2").arg(plain(table.plan[static_cast<std::size_t>(by)].name),
                                           model_->varied(static_cast<std::size_t>(by), run));
    const auto [found, fresh] = known.emplace(name, shown.groups.size());
    if (fresh && shown.groups.size() == ScatterData::kMostGroups) {
      // Too many values to distinguish by shape: shows all runs as one group.
      split = false;
      known.clear();
      shown.groups.clear();
      run = static_cast<std::size_t>(-1);
      continue;
    }
    if (fresh) shown.groups.push_back({name, {}, {}, {}, {}});
    const double value = figure.numbers[run];
    const double at = across ? across->numbers[run] : static_cast<double>(table.seed[run]);
    if (!std::isfinite(value)) continue;
    ScatterData::Group& group = shown.groups[found->second];
    (table.status[run] == RunStatus::done ? group.points : group.stopped).emplace_back(at, value);
  }
  plot_->setData(std::move(shown));
}

std::vector<std::size_t> StudyResults::selectedRuns() const {
  std::vector<std::size_t> runs;
  for (const QModelIndex& row : view_->selectionModel()->selectedRows())
    runs.push_back(static_cast<std::size_t>(sorted_->mapToSource(row).row()));
  std::sort(runs.begin(), runs.end());
  return runs;
}

std::optional<std::size_t> StudyResults::selectedRun() const {
  const std::vector<std::size_t> runs = selectedRuns();
  return runs.size() == 1 ? std::optional(runs.front()) : std::nullopt;
}

void StudyResults::setOpenBlocked(const QString& reason) {
  blocked_ = reason;
  updateOpen();
}

void StudyResults::updateOpen() {
  const bool chosen = selectedRun().has_value();
  open_->setEnabled(chosen && blocked_.isEmpty());
  open_->setToolTip(!blocked_.isEmpty() ? blocked_
                    : chosen ? tr("Repeats the run with the same numbers, records it and shows it in Analyse")
                             : tr("Choose one run in the table first"));
}

}  // namespace hyb::ui
