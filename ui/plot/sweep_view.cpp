#include "ui/plot/sweep_view.h"

#include <QComboBox>
#include <QEvent>
#include <QFrame>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedLayout>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/assess/computed_path.h"
#include "core/base/error.h"
#include "core/run/continuation_figures.h"
#include "ui/base/theme.h"
#include "ui/base/widgets.h"
#include "ui/plot/frf_plot.h"
#include "ui/plot/plot_panel.h"
#include "ui/plot/point_view.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

constexpr std::size_t kReferencePoints = 400;
constexpr std::size_t kFewInside = 3;  // points above the half-power level: with fewer the damping is unreliable
constexpr int kPointRow_px = 20;
enum PointColumn { kFrequency, kAmplitude, kPhase, kIterations, kEnding };

QFrame* sweepPanel(QWidget* content) {
  auto* frame = new Panel;
  auto* box = new QVBoxLayout(frame);
  box->setContentsMargins(8, 6, 8, 8);
  box->addWidget(content);
  return frame;
}

QLabel* sweepLine(const char* name) {
  auto* line = new QLabel;
  line->setObjectName(QLatin1String(name));
  line->setWordWrap(true);
  line->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return line;
}

QString ratioText(double ratio) { return numberText(100.0 * ratio) + QStringLiteral("\u2009%"); }

}  // namespace

SweepView::SweepView(QWidget* parent)
    : QWidget(parent),
      quantity_(new TitleCombo),
      state_(sweepLine("sweep-state")),
      damping_(sweepLine("sweep-damping")),
      go_on_(new QPushButton(tr("Continue this sweep"))),
      table_(new QTableWidget),
      point_(new PointView),
      overview_(new QWidget),
      stack_(new QStackedLayout(this)) {
  build();
}

SweepView::~SweepView() = default;

void SweepView::build() {
  auto* plots = new Splitter(Qt::Vertical, nullptr, Splitter::Handle::thin);
  plots->setChildrenCollapsible(false);
  const std::pair<QString, FrfPlot::Shows> kinds[] = {{tr("Response"), FrfPlot::Shows::amplitude},
                                                      {tr("Phase"), FrfPlot::Shows::phase},
                                                      {tr("Iterations"), FrfPlot::Shows::iterations}};
  for (const auto& [name, shows] : kinds) {
    auto* plot = new FrfPlot(name, shows);
    plots_.push_back(plot);
    panels_.push_back(new PlotPanel(plot));
    plots->addWidget(panels_.back());
    plot->setMeaning([this](std::size_t row) { return rowMeaning(row); });
    connect(plot, &FrfPlot::pointPicked, this, &SweepView::openPoint);
    connect(plot, &FrfPlot::rangeChosen, this, [this, plot](std::optional<QwtInterval> range) {
      for (FrfPlot* other : plots_)
        if (other != plot) other->followRange(range);
    });
  }
  plots_[0]->setEmptyText(tr("Amplitude at each balanced frequency,\nbeside that of the assembled structure."));
  plots_[1]->setEmptyText(tr("Phase to the load's cos w t."));
  plots_[2]->setEmptyText(tr("Steps of the solver at each frequency."));
  plots_[0]->setToolTip(
      tr("Dots: balanced frequencies; hollow: unstable points of a path. Crosses: points without convergence; hold the "
         "pointer on one for the reason. Dashed: uncut structure of the project under the same load. A click on a "
         "point opens its periods."));
  plots_[2]->setToolTip(
      tr("Solver steps of each point; a new Jacobian counts as four. The number rises near a resonance, and with a "
         "tolerance near the noise."));
  plots->setSizes({260, 170, 110});
  quantity_->setObjectName(QStringLiteral("sweep-quantity"));
  quantity_->setAccessibleName(tr("Shown quantity of the cut"));
  quantity_->setToolTip(quantity_->accessibleName());
  quantity_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  panels_[0]->addControl(quantity_);
  connect(quantity_, &QComboBox::currentIndexChanged, this, &SweepView::showQuantity);

  damping_->setToolTip(
      tr("Half-power: width of the peak at 0.707 of the largest amplitude, divided by twice its frequency; linear "
         "between the points. Valid for a lightly damped, isolated peak. Use several points above that level."));
  auto* lines = new QWidget;
  auto* lines_box = new QVBoxLayout(lines);
  lines_box->setContentsMargins(0, 0, 0, 0);
  lines_box->setSpacing(4);
  lines_box->addWidget(state_);
  lines_box->addWidget(damping_);
  lines_box->addWidget(go_on_, 0, Qt::AlignLeft);
  go_on_->setObjectName(QStringLiteral("sweep-go-on"));
  go_on_->setToolTip(
      tr("The next test continues after these points and includes them in its file. Its project must have the same "
         "structure, cut and coupling."));
  go_on_->hide();
  connect(go_on_, &QPushButton::clicked, this, &SweepView::goOnRequested);

  table_->setObjectName(QStringLiteral("sweep-points"));
  table_->setAccessibleName(tr("Points of the sweep"));
  table_->setEditTriggers(QTableWidget::NoEditTriggers);
  table_->setSelectionBehavior(QTableWidget::SelectRows);
  table_->setSelectionMode(QTableWidget::SingleSelection);
  table_->setTabKeyNavigation(false);
  table_->setShowGrid(false);
  table_->setFrameShape(QFrame::NoFrame);
  table_->setFont(figureFont(0.9));
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setMinimumSectionSize(kPointRow_px);
  table_->verticalHeader()->setDefaultSectionSize(kPointRow_px);
  table_->horizontalHeader()->setFont(figureFont(0.85));
  table_->horizontalHeader()->setHighlightSections(false);
  table_->horizontalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->horizontalHeader()->setStretchLastSection(true);
  connect(table_, &QTableWidget::cellActivated, this, [this](int at, int) { openPoint(static_cast<std::size_t>(at)); });
  connect(table_, &QTableWidget::currentCellChanged, this, [this](int at, int, int, int) {
    for (FrfPlot* plot : plots_) plot->setCurrent(at >= 0 ? std::optional(static_cast<std::size_t>(at)) : std::nullopt);
  });

  auto* right = new QWidget;
  auto* column = new QVBoxLayout(right);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(6);
  column->addWidget(sweepPanel(lines));
  column->addWidget(sweepPanel(table_), 1);
  auto* halves = new Splitter(Qt::Horizontal, nullptr, Splitter::Handle::thin);
  halves->setChildrenCollapsible(false);
  halves->addWidget(plots);
  halves->addWidget(right);
  halves->setSizes({560, 350});
  halves->setStretchFactor(0, 1);
  auto* page = new QVBoxLayout(overview_);
  page->setContentsMargins(0, 0, 0, 0);
  page->addWidget(halves);
  stack_->addWidget(overview_);
  stack_->addWidget(point_);
  connect(point_, &PointView::closed, this, &SweepView::closePoint);
  connect(point_, &PointView::stepped, this, &SweepView::stepPoint);
}

const SweepList::Quantity* SweepView::quantity() const {
  const int at = quantity_->currentIndex();
  return at >= 0 && static_cast<std::size_t>(at) < sweep_.quantities().size()
             ? &sweep_.quantities()[static_cast<std::size_t>(at)]
             : nullptr;
}

void SweepView::showSweep(SweepList sweep, const Project* project, bool over) {
  stack_->setCurrentWidget(overview_);
  opened_.reset();
  sweep_ = std::move(sweep);
  over_ = over;
  now_.clear();
  {
    const QSignalBlocker quiet(quantity_);
    const int before = std::max(0, quantity_->currentIndex());
    quantity_->clear();
    for (const SweepList::Quantity& q : sweep_.quantities()) quantity_->addItem(q.title);
    quantity_->setCurrentIndex(std::min(before, quantity_->count() - 1));
  }
  Json document = project != nullptr ? project->document : Json();
  if (document != of_) {
    of_ = std::move(document);
    reference_.reset();
    working_.cancel();
    if (project != nullptr)
      working_.submit([this, given = *project]() -> LatestTask::Deliver {
        std::shared_ptr<const SweepReference> made;
        try {
          if (auto found = periodicReference(given, kReferencePoints))
            made = std::make_shared<const SweepReference>(std::move(*found));
        } catch (const InputError&) {  // reported by the checks of the project
        }
        return [this, made] {
          reference_ = made;
          showQuantity();
          showOpened();
          Q_EMIT referenceReady();
        };
      });
  }
  for (FrfPlot* plot : plots_) plot->fit();
  showQuantity();
}

void SweepView::append(std::vector<std::vector<double>> rows) {
  if (rows.empty()) return;
  const bool follow = table_->currentRow() < 0 || table_->currentRow() == table_->rowCount() - 1;
  for (std::vector<double>& row : rows) {
    sweep_.append(std::move(row));
    addRow(sweep_.count() - 1);
  }
  if (follow) table_->scrollToBottom();
  for (FrfPlot* plot : plots_) plot->refresh();
  for (PlotPanel* panel : panels_) panel->updateReading();
  say();
}

void SweepView::setHistory(std::shared_ptr<const RunHistory> history) {
  history_ = std::move(history);
  showOpened();
}

void SweepView::followRun() {
  if (over_ || !history_ || history_->rows().empty()) return;
  const auto newest = [&](const char* name) {
    const std::optional<std::size_t> column = history_->layout().find(name);
    return column ? history_->rows().at(*column, history_->rows().end() - 1) : std::nan("");
  };
  const double point = newest("point");
  const QString now = point > 0.0
                          ? tr("At %1 Hz now, iteration %2, residual %3.")
                                .arg(figureText(newest("frequency"), 5),
                                     QString::number(std::lround(newest("iteration"))), figureText(newest("residual")))
                          : QString();
  if (now == now_) return;
  now_ = now;
  say();
}

void SweepView::offerGoingOn() { go_on_->setVisible(canGoOn()); }

void SweepView::end() {
  over_ = true;
  now_.clear();
  say();
}

void SweepView::showQuantity() {
  const auto at = static_cast<std::size_t>(std::max(0, quantity_->currentIndex()));
  for (FrfPlot* plot : plots_) plot->setSweep(sweep_.any() ? &sweep_ : nullptr, at, reference_);
  for (PlotPanel* panel : panels_) panel->updateReading();
  refill();
  say();
}

void SweepView::say() {
  const std::size_t done = sweep_.count(), good = sweep_.convergedCount(), most = sweep_.most();
  QString text = !sweep_.any()          ? tr("The sweep has not begun.")
                 : sweep_.followsPath() ? tr("%1 points of the path.").arg(done)
                 : most == 0            ? tr("%1 frequencies.").arg(done)
                                        : tr("%1 of %2 frequencies done.").arg(done).arg(most);
  if (done > 0)
    text += good == done ? tr(" All are balanced.") : tr(" %1 balanced, %2 not (×).").arg(good).arg(done - good);
  if (over_ && most > done) text += tr(" The test ended before the remaining ones.");
  if (!now_.isEmpty()) text += QLatin1Char('\n') + now_;
  state_->setText(text);
  damping_->setText(dampingSentence());
}

QString SweepView::dampingSentence() const {
  const SweepList::Quantity* q = quantity();
  if (sweep_.followsPath() && sweep_.count() == 0) return tr("Folds, peak and backbone appear as points are measured.");
  if (q == nullptr || sweep_.count() == 0) return tr("Damping: available after points on both sides of the peak.");
  if (sweep_.followsPath()) {
    const auto figures = continuationFigures(sweep_.table());
    return figures ? QString::fromStdString(continuationText(*figures)) + QLatin1Char('.') : QString();
  }
  QString text;
  if (const auto found = sweep_.resonance(*q); found && found->half_power) {
    const HalfPower& band = *found->half_power;
    if (sweep_.lastPass() > 1.0) text = tr("Pass %1: ").arg(sweep_.lastPass());
    text += tr("Peak at %1 Hz, damping %2 (half-power, %3 to %4 Hz)")
                .arg(figureText(found->peak_hz, 5), ratioText(band.ratio), figureText(band.from_hz, 5),
                     figureText(band.to_hz, 5));
    text += found->circle ? tr(", %1 (circle fit).").arg(ratioText(*found->circle)) : QStringLiteral(".");
    if (band.inside < kFewInside)
      text += (band.inside == 1
                   ? tr(" Only 1 point is above the level: the peak may be between two points, and the damping is "
                        "overestimated. Add frequencies there.")
                   : tr(" Only %1 points are above the level: the damping may be overestimated. Add frequencies there.")
                         .arg(band.inside));
  } else {
    text = tr("Damping: not available, no peak has points below 0.707 of it on both sides.");
  }
  if (const auto wanted = resonanceOf(referenceOf(reference_.get(), *q)); wanted && wanted->half_power)
    text += tr(" Assembled: %1 Hz, %2.").arg(figureText(wanted->peak_hz, 5), ratioText(wanted->half_power->ratio));
  return text;
}

void SweepView::fillHeader() {
  const SweepList::Quantity* q = quantity();
  const QString unit = q != nullptr ? displayUnit(q->unit).text : QString();
  table_->setColumnCount(5);
  table_->setHorizontalHeaderLabels({tr("f (Hz)"), unit.isEmpty() ? tr("amplitude") : tr("ampl. (%1)").arg(unit),
                                     tr("phase (°)"), tr("iter."), tr("ended")});
  const QString meanings[] = {
      tr("First harmonic of the commands"), tr("Measured and averaged amplitude of the shown quantity"),
      tr("Phase to the cos w t of the load"), tr("Steps of the solver; a new Jacobian counts as four"),
      tr("Balance of both sides of the cut, or the reason for no balance")};
  for (int column = 0; column < table_->columnCount(); ++column)
    table_->horizontalHeaderItem(column)->setToolTip(meanings[column]);
  table_->horizontalHeaderItem(kEnding)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

void SweepView::refill() {
  const int current = table_->currentRow();
  const QSignalBlocker quiet(table_);
  table_->clear();
  table_->setRowCount(0);
  fillHeader();
  for (std::size_t row = 0; row < sweep_.count(); ++row) addRow(row);
  if (current >= 0 && current < table_->rowCount()) table_->setCurrentCell(current, 0);
}

void SweepView::addRow(std::size_t row) {
  const SweepList::Quantity* q = quantity();
  const int at = table_->rowCount();
  table_->insertRow(at);
  const auto put = [&](int column, const QString& text) {
    auto* item = new QTableWidgetItem(text);
    item->setTextAlignment((column == kEnding ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    item->setToolTip(rowMeaning(row));
    table_->setItem(at, column, item);
  };
  put(kFrequency, figureText(sweep_.frequency_hz(row), 5));
  put(kAmplitude, q ? numberText(sweep_.at(row, q->measured) * displayUnit(q->unit).factor) : QString());
  put(kPhase, q ? numberText(sweep_.at(row, q->measured_phase)) : QString());
  put(kIterations, QString::number(sweep_.iterations(row)));
  put(kEnding, (sweep_.converged(row) ? QStringLiteral("✓ ") : QStringLiteral("× ")) + sweep_.ending(row));
  colourRow(row);
}

void SweepView::colourRow(std::size_t row) {
  for (int column = 0; column < table_->columnCount(); ++column)
    table_->item(static_cast<int>(row), column)
        ->setForeground(colour(sweep_.converged(row) ? Role::text : Role::error, palette()));
}

QString SweepView::sentenceOf(std::size_t row) const {
  QString text = tr("%1 Hz: %2 after %3 iterations, residual %4.")
                     .arg(figureText(sweep_.frequency_hz(row), 5), sweep_.ending(row),
                          figureText(sweep_.iterations(row)), figureText(sweep_.residual(row)));
  const SweepList::Quantity* q = quantity();
  if (const double bound = q != nullptr ? sweep_.errorBound(row, q->dof) : std::nan(""); std::isfinite(bound))
    text += tr(" The residual may hide a motion error of up to %1 %.").arg(figureText(bound));
  return text;
}

QString SweepView::rowMeaning(std::size_t row) const {
  QString text = sentenceOf(row);
  if (const SweepList::Quantity* q = quantity())
    text += tr(" %1: %2 at %3°.")
                .arg(q->title, quantityText(sweep_.at(row, q->measured), displayUnit(q->unit)),
                     numberText(sweep_.at(row, q->measured_phase)));
  return text + tr(" A click on its point, or Enter in the table, shows its periods.");
}

void SweepView::select(std::optional<std::size_t> row) {
  if (row) table_->setCurrentCell(static_cast<int>(*row), 0);
}

void SweepView::openPoint(std::size_t row) {
  if (row >= sweep_.count()) return;
  opened_ = row;
  select(row);
  showOpened();
  stack_->setCurrentWidget(point_);
  point_->setFocus(Qt::OtherFocusReason);
}

/// Refreshes the opened point with new data.
void SweepView::showOpened() {
  if (opened_) point_->showPoint(sweep_, *opened_, history_.get(), reference_.get(), sentenceOf(*opened_));
}

void SweepView::closePoint() {
  opened_.reset();
  stack_->setCurrentWidget(overview_);
  table_->setFocus(Qt::OtherFocusReason);
}

void SweepView::stepPoint(int way) {
  if (!opened_) return;
  const std::vector<std::size_t> order = sweep_.byFrequency();
  const auto at = std::find(order.begin(), order.end(), *opened_) - order.begin() + way;
  if (at >= 0 && at < static_cast<std::ptrdiff_t>(order.size())) openPoint(order[static_cast<std::size_t>(at)]);
}

void SweepView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange)
    for (std::size_t row = 0; row < sweep_.count(); ++row) colourRow(row);
}

}  // namespace hyb::ui
