#include "ui/plot/trial_curves.h"

#include <qwt_plot_curve.h>

#include <QComboBox>
#include <algorithm>
#include <cmath>
#include "ui/base/widgets.h"

namespace hyb::ui {
namespace {

constexpr int kColumnRole = Qt::UserRole, kUnitRole = Qt::UserRole + 1;
constexpr std::uint64_t kTableRows = 4000, kExportPoints = 5000;

struct TrialRows {
  std::uint64_t first, last;  // of the history, past the end
};
TrialRows rowsOf(const RunHistory& run, const TrialList& trials, std::size_t trial) {
  const RowHistory& rows = run.rows();
  // Half a tick of tolerance, so that rounding neither drops nor adds a row.
  const double half_s = 0.5 / run.rateHz();
  const std::uint64_t first =
      rows.lowerBound(RowLayout::kTime, trials.begins_s(trial) - half_s, rows.begin(), rows.end());
  return {first, rows.lowerBound(RowLayout::kTime, trials.ends_s(trial) + half_s, first, rows.end())};
}

}  // namespace

TrialCurves::TrialCurves(const QString& name, QWidget* parent) : PlotView(name, parent), quantity_(new TitleCombo) {
  quantity_->setObjectName(QStringLiteral("trial-quantity"));
  quantity_->setAccessibleName(tr("Quantity of the trials"));
  quantity_->setToolTip(tr("Quantity in the overlay of trials"));
  quantity_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  quantity_->setMinimumContentsLength(10);  // the plot is beside another one
  connect(quantity_, &QComboBox::currentIndexChanged, this, [this] {
    fit();
    restyleValueAxis();
    refresh();
    Q_EMIT legendChanged();
  });
  setEmptyText(tr("Overlay of trials, available after the first trial."));
}

TrialCurves::~TrialCurves() = default;

void TrialCurves::setTrials(const TrialList* trials, std::shared_ptr<const RunHistory> run) {
  const bool another = run != run_;
  trials_ = trials;
  run_ = std::move(run);
  if (another) {
    chosen_.clear();
    offerQuantities();
    fit();
  }
  refresh();
}

void TrialCurves::setChosen(std::vector<std::size_t> rows) {
  chosen_ = std::move(rows);
  refresh();
}

void TrialCurves::offerQuantities() {
  const QSignalBlocker quiet(quantity_);
  const QString before = quantity_->currentText();
  quantity_->clear();
  if (!run_) return;
  const RowLayout& layout = run_->layout();
  const auto add = [this](const QString& text, std::size_t column, const std::string& units) {
    quantity_->addItem(text);
    quantity_->setItemData(quantity_->count() - 1, QVariant::fromValue(static_cast<qulonglong>(column)), kColumnRole);
    quantity_->setItemData(quantity_->count() - 1, QString::fromStdString(units), kUnitRole);
  };
  for (std::size_t i = 0; i < layout.interfaces(); ++i)
    for (const auto& [text, column] :
         {std::pair{tr("gap %1"), layout.gap(i)}, std::pair{tr("measured %1"), layout.measured(i)},
          std::pair{tr("target %1"), layout.target(i)}, std::pair{tr("command %1"), layout.command(i)},
          std::pair{tr("force %1"), layout.force(i)}})
      add(text.arg(i + 1), column, layout.units(column));
  for (std::size_t a = 0; a < layout.adapted().size(); ++a) {
    const Adapted& adapted = layout.adapted()[a];
    QString text = QString::fromStdString(adapted.title.empty() ? adapted.name : adapted.title);
    text.replace(QLatin1Char('_'), QLatin1Char(' '));
    add(tr("learnt: %1").arg(text), layout.adaptedColumn(a), adapted.units);
  }
  quantity_->setCurrentIndex(std::max(0, quantity_->findText(before)));
  restyleValueAxis();
}

DisplayUnit TrialCurves::unit() const {
  return displayUnit(quantity_->currentData(kUnitRole).toString().toStdString());
}

std::vector<std::size_t> TrialCurves::shown() const {
  std::vector<std::size_t> rows = chosen_;
  std::erase_if(rows, [this](std::size_t row) { return row >= trials_->count(); });
  if (rows.empty())
    for (std::size_t row = 0; row < trials_->count(); ++row) rows.push_back(row);
  return rows;
}

QwtPlotCurve* TrialCurves::curve(std::size_t at) {
  while (curves_.size() <= at) {
    curves_.push_back(new QwtPlotCurve);
    curves_.back()->setItemAttribute(QwtPlotItem::AutoScale, false);
    curves_.back()->setZ(10.0 + static_cast<double>(curves_.size()));
    curves_.back()->attach(this);
  }
  return curves_[at];
}

void TrialCurves::updateData() {
  drawn_ = gone_ = 0;
  Extremes values = Extremes::none();
  double longest_s = 0.0;
  const std::vector<std::size_t> rows = hasData() ? shown() : std::vector<std::size_t>();
  const auto buckets = exporting() ? kExportPoints : static_cast<std::uint64_t>(std::max(64, canvas()->width()));
  const auto column = static_cast<std::size_t>(quantity_->currentData(kColumnRole).toULongLong());
  const QColor first = between(colourOf(Role::border), colourOf(Role::mutedText), 0.25),
               last = colourOf(column >= (run_ ? run_->layout().adaptedColumn(0) : 0) ? Role::command : Role::measured);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto [from, to] = rowsOf(*run_, *trials_, rows[k]);
    if (to <= from) {
      ++gone_;
      continue;
    }
    const RowHistory& history = run_->rows();
    const double begins_s = trials_->begins_s(rows[k]);
    QVector<QPointF> points;
    const std::uint64_t bucket = std::max<std::uint64_t>(1, (to - from) / buckets);
    for (std::uint64_t row = from; row < to; row += bucket) {
      const double time_s = history.at(RowLayout::kTime, row) - begins_s;
      const Extremes part = history.extremes(column, row, std::min(to, row + bucket));
      if (part.empty()) continue;
      points << QPointF(time_s, part.min);
      if (part.max > part.min) points << QPointF(time_s, part.max);
      values.add(part);
    }
    longest_s = std::max(longest_s, trials_->ends_s(rows[k]) - begins_s);
    QwtPlotCurve* drawn = curve(drawn_++);
    drawn->setSamples(points);
    QPen pen = penOf(Role::measured);
    pen.setColor(
        between(first, last, rows.size() > 1 ? static_cast<double>(k) / static_cast<double>(rows.size() - 1) : 1.0));
    drawn->setPen(pen);
    drawn->setVisible(true);
  }
  for (std::size_t c = drawn_; c < curves_.size(); ++c) curves_[c]->setVisible(false);
  if (longest_s == 0.0 && trials_ != nullptr) longest_s = trials_->rules().length_s;  // of later trials
  if (values.empty()) values = {-1.0 / unit().factor, 1.0 / unit().factor};
  const double margin = std::max(0.05 * (values.max - values.min), 1e-12);
  const QwtInterval up = manualRange(QwtAxis::YLeft).value_or(QwtInterval(values.min - margin, values.max + margin)),
                    time = manualRange(QwtAxis::XBottom).value_or(QwtInterval(0.0, longest_s > 0.0 ? longest_s : 1.0));
  setScale(QwtAxis::XBottom, time.minValue(), time.maxValue(), 1.0, QStringLiteral(" s"),
           std::clamp(canvas()->width() / 80, 2, 12));
  setScale(QwtAxis::YLeft, up.minValue(), up.maxValue(), unit().factor, {}, std::clamp(canvas()->height() / 30, 2, 6));
}

void TrialCurves::restyleValueAxis() { styleAxis(QwtAxis::YLeft, unit().text, 34); }

void TrialCurves::applyColours() {
  styleAxis(QwtAxis::XBottom, {}, 0);
  restyleValueAxis();
}

QString TrialCurves::reading() const {
  if (!hasData()) return {};
  const std::vector<std::size_t> rows = shown();
  QString text;
  if (chosen_.empty()) {
    text = tr("all %1, the last darkest").arg(rows.size());
  } else {
    QStringList numbers;
    for (const std::size_t row : rows) numbers << QString::number(trials_->trial(row));
    text = rows.size() == 1 ? tr("trial %1").arg(numbers.front())
                            : tr("trials %1, the last darkest").arg(numbers.join(QStringLiteral(", ")));
  }
  if (gone_ > 0) text += tr(" · %1 no longer kept").arg(gone_);
  return text;
}

ValueTable TrialCurves::valueTable() const {
  ValueTable table;
  if (!hasData()) return table;
  const auto column = static_cast<std::size_t>(quantity_->currentData(kColumnRole).toULongLong());
  const std::vector<std::size_t> rows = shown();
  std::uint64_t longest = 0;
  table.headers << tr("time (s)");
  for (const std::size_t row : rows) {
    const auto [from, to] = rowsOf(*run_, *trials_, row);
    longest = std::max(longest, to - from);
    table.headers << tr("trial %1 (%2)").arg(trials_->trial(row)).arg(unit().text);
  }
  const std::uint64_t stride = 1 + longest / kTableRows;
  if (stride > 1) table.remark = tr("Every %1th row.").arg(stride);
  for (std::uint64_t k = 0; k < longest; k += stride) {
    std::vector<double> values{static_cast<double>(k) / run_->rateHz()};
    for (const std::size_t row : rows) {
      const auto [from, to] = rowsOf(*run_, *trials_, row);
      values.push_back(from + k < to ? unit().factor * run_->rows().at(column, from + k) : std::nan(""));
    }
    table.rows.push_back(std::move(values));
  }
  return table;
}

}  // namespace hyb::ui
