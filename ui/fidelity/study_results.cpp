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

#include "ui/fidelity/study_table_model.h"
#include "ui/plot/plot_panel.h"
#include "ui/plot/quantity_text.h"
#include "ui/plot/scatter_plot.h"

namespace hyb::ui {
namespace {

constexpr int kSeed = -1, kNone = -2;  // in place of a plan column

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

/// Fills a chooser; `keep`: what was chosen stays, by its text.
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
      plot_(new ScatterPlot(tr("Figures of all runs"))),
      panel_(new PlotPanel(plot_)),
      x_(chooser(tr("Across: what was varied"))),
      y_(chooser(tr("Upwards: a figure of the runs"))),
      group_(chooser(tr("One curve for each value of"))),
      open_(new QPushButton(tr("Open this run"))) {
  plot_->setEmptyText(
      tr("Any figure over any varied value will be here.\nChoose what to vary, then press Run study, "
         "or open a study file."));
  x_->setObjectName(QStringLiteral("study-x"));
  y_->setObjectName(QStringLiteral("study-y"));
  group_->setObjectName(QStringLiteral("study-group"));
  sorted_->setSourceModel(model_);
  sorted_->setSortRole(StudyTableModel::kSortRole);
  view_->setModel(sorted_);
  view_->setSortingEnabled(true);
  view_->sortByColumn(0, Qt::AscendingOrder);
  view_->setSelectionBehavior(QAbstractItemView::SelectRows);
  view_->setSelectionMode(QAbstractItemView::SingleSelection);
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
  upper_box->addWidget(panel_, 1);
  auto* lower = new QFrame;
  lower->setProperty("panel", true);
  auto* title = new QLabel(tr("Runs"));
  title->setFont(figureFont(1.0, true));
  auto* head = new QHBoxLayout;
  head->addWidget(title, 1);
  head->addWidget(open_);
  auto* lower_box = new QVBoxLayout(lower);
  lower_box->setContentsMargins(8, 4, 8, 8);
  lower_box->setSpacing(4);
  lower_box->addLayout(head);
  lower_box->addWidget(view_, 1);
  auto* splitter = new QSplitter(Qt::Vertical);
  splitter->setHandleWidth(8);
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
  connect(view_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &StudyResults::updateOpen);
  updateOpen();
}

const StudyTable& StudyResults::table() const { return model_->table(); }

void StudyResults::show(StudyTable table) {
  QList<std::pair<QString, int>> varied, groups{{tr("nothing"), kNone}}, figures;
  std::optional<std::size_t> across;  // usually the first that is a number; the next one tells curves apart
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
  for (std::size_t f = 0; f < table.figures.size(); ++f)
    figures << std::pair(plain(table.figures[f].name), static_cast<int>(f));
  const auto same = [](const StudyTable::Column& a, const StudyTable::Column& b) { return a.name == b.name; };
  const std::vector<StudyTable::Column>& before = model_->table().plan;
  const bool keep = std::equal(before.begin(), before.end(), table.plan.begin(), table.plan.end(), same);
  model_->setTable(std::move(table));
  refill(x_, varied, 0, keep);
  refill(y_, figures, 0, true);
  refill(group_, groups, curves, keep);
  view_->resizeColumnsToContents();
  replot();
  updateOpen();
}

void StudyResults::replot() {
  const StudyTable& table = model_->table();
  const int x = x_->currentData().isValid() ? x_->currentData().toInt() : kNone;
  const int y = y_->currentData().isValid() ? y_->currentData().toInt() : kNone;
  const int by = group_->currentData().isValid() ? group_->currentData().toInt() : kNone;
  ScatterData shown;
  if (x == kNone || y == kNone) return plot_->setData(std::move(shown));
  const StudyTable::Column& figure = table.figures[static_cast<std::size_t>(y)];
  const StudyTable::Column* across = x == kSeed ? nullptr : &table.plan[static_cast<std::size_t>(x)];
  shown.x = {across ? plain(across->name) : tr("seed"),
             {1.0, across ? QString::fromStdString(across->units) : QString()}};
  shown.y = {plain(figure.name), displayUnit(figure.units)};
  const StudyTable::Column* split = by == kNone || by == x ? nullptr : &table.plan[static_cast<std::size_t>(by)];
  std::map<QString, std::size_t> known;
  for (std::size_t run = 0; run < table.status.size(); ++run) {
    QString name;
    if (split)
      name = QStringLiteral("%1 = %2").arg(plain(split->name),
                                           split->words.empty() ? figureText(split->numbers[run], 4)
                                                                : QString::fromStdString(split->words[run]).left(24));
    const auto [found, fresh] = known.emplace(name, shown.groups.size());
    if (fresh && shown.groups.size() == ScatterData::kMostGroups) {
      // More values than shapes that can be told apart: all runs as one group.
      split = nullptr;
      known.clear();
      shown.groups.clear();
      run = static_cast<std::size_t>(-1);
      continue;
    }
    if (fresh) shown.groups.push_back({name, {}, {}});
    const double value = figure.numbers[run];
    const double at = across ? across->numbers[run] : static_cast<double>(table.seed[run]);
    if (!std::isfinite(value)) continue;
    ScatterData::Group& group = shown.groups[found->second];
    (table.status[run] == RunStatus::done ? group.points : group.stopped).emplace_back(at, value);
  }
  plot_->setData(std::move(shown));
  panel_->updateReading();
}

std::optional<std::size_t> StudyResults::selectedRun() const {
  const QModelIndexList rows = view_->selectionModel()->selectedRows();
  if (rows.isEmpty()) return {};
  return static_cast<std::size_t>(sorted_->mapToSource(rows.front()).row());
}

void StudyResults::setOpenBlocked(const QString& reason) {
  blocked_ = reason;
  updateOpen();
}

void StudyResults::updateOpen() {
  const bool chosen = selectedRun().has_value();
  open_->setEnabled(chosen && blocked_.isEmpty());
  open_->setToolTip(!blocked_.isEmpty() ? blocked_
                    : chosen ? tr("Runs it once more with the same numbers, recorded, and shows it in Analyse")
                             : tr("Choose a run in the table first"));
}

}  // namespace hyb::ui
