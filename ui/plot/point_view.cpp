#include "ui/plot/point_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/base/widgets.h"
#include "ui/plot/harmonics_plot.h"
#include "ui/plot/period_plot.h"
#include "ui/plot/plot_panel.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

QComboBox* pointCombo(const QString& name, const char* object) {
  auto* combo = new TitleCombo;
  combo->setObjectName(QLatin1String(object));
  combo->setAccessibleName(name);
  combo->setToolTip(name);
  combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  combo->setMinimumContentsLength(10);
  return combo;
}

/// Harmonics of the compared signals of a quantity, and of the commands.
std::vector<HarmonicSet> setsOf(const SweepList& sweep, std::size_t row) {
  std::vector<HarmonicSet> sets;
  for (const SweepList::Quantity& q : sweep.quantities()) {
    const QString title = q.title.section(QStringLiteral(", harmonic"), 0, 0);
    auto set = std::find_if(sets.begin(), sets.end(), [&](const HarmonicSet& known) { return known.title == title; });
    if (set == sets.end())
      set = sets.insert(sets.end(), HarmonicSet{title,
                                                q.unit,
                                                {},
                                                {{PointView::tr("measured"), Role::measured, Qt::SolidLine, {}},
                                                 {PointView::tr("computed"), Role::target, Qt::DashLine, {}}}});
    set->orders.push_back(q.order);
    set->signals[0].values.push_back(sweep.measured(row, q));
    set->signals[1].values.push_back(sweep.computed(row, q));
  }
  constexpr Role kRoles[] = {Role::command, Role::force, Role::target, Role::measured};
  for (const SweepList::CommandColumns& command : sweep.commands()) {
    auto set = std::find_if(sets.begin(), sets.end(), [&](const HarmonicSet& known) {
      return known.title == PointView::tr("Commands") && known.unit == command.unit;
    });
    if (set == sets.end()) set = sets.insert(sets.end(), HarmonicSet{PointView::tr("Commands"), command.unit, {}, {}});
    if (std::find(set->orders.begin(), set->orders.end(), command.order) == set->orders.end())
      set->orders.push_back(command.order);
    const QString name = QString::number(command.actuator + 1);
    auto signal = std::find_if(set->signals.begin(), set->signals.end(),
                               [&](const HarmonicSet::Signal& known) { return known.name == name; });
    if (signal == set->signals.end()) {
      const Role role = kRoles[set->signals.size() % std::size(kRoles)];
      signal = set->signals.insert(
          set->signals.end(), HarmonicSet::Signal{name, role, set->signals.empty() ? Qt::SolidLine : Qt::DashLine, {}});
    }
    signal->values.push_back(sweep.phasor(row, command.amplitude, command.phase));
  }
  return sets;
}

}  // namespace

PointView::PointView(QWidget* parent)
    : QWidget(parent),
      over_time_(new PeriodPlot(tr("Last periods"), PeriodPlot::Shows::periods)),
      bars_(new HarmonicsPlot(tr("Harmonics"), HarmonicsPlot::Shows::bars)),
      phasors_(new HarmonicsPlot(tr("Phasors"), HarmonicsPlot::Shows::phasors)),
      quantity_(pointCombo(tr("Quantity of the cut shown over its last periods"), "period-quantity")),
      set_(pointCombo(tr("Signals of the shown harmonics"), "harmonics-of")),
      sentence_(new QLabel),
      remark_(new QLabel) {
  const auto button = [](const QString& text, const QString& tip, const char* name) {
    auto* made = new QToolButton;
    made->setText(text);
    made->setToolTip(tip);
    made->setAccessibleName(tip);
    made->setObjectName(QLatin1String(name));
    return made;
  };
  back_ = button(tr("← Sweep"), tr("Back to the sweep (Backspace)"), "point-back");
  previous_ = button(tr("◂"), tr("Point at the next lower frequency (Page Down)"), "point-lower");
  next_ = button(tr("▸"), tr("Point at the next higher frequency (Page Up)"), "point-higher");
  connect(back_, &QToolButton::clicked, this, &PointView::closed);
  connect(previous_, &QToolButton::clicked, this, [this] { Q_EMIT stepped(-1); });
  connect(next_, &QToolButton::clicked, this, [this] { Q_EMIT stepped(1); });
  sentence_->setObjectName(QStringLiteral("point-sentence"));
  sentence_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  sentence_->setWordWrap(true);
  remark_->setProperty("muted", true);
  remark_->setWordWrap(true);
  auto* bar = new QHBoxLayout;
  bar->setSpacing(6);
  for (QWidget* widget : {static_cast<QWidget*>(back_), static_cast<QWidget*>(previous_), static_cast<QWidget*>(next_)})
    bar->addWidget(widget);
  bar->addWidget(sentence_, 1);
  bar->addWidget(quantity_);
  bar->addWidget(set_);

  auto* upper = new QWidget;
  top_ = new QHBoxLayout(upper);
  top_->setContentsMargins(0, 0, 0, 0);
  top_->setSpacing(6);
  auto* lower = new Splitter(Qt::Horizontal, nullptr, Splitter::Handle::thin);
  lower->setChildrenCollapsible(false);
  const auto panel = [&](PlotView* plot) {
    auto* made = new PlotPanel(plot);
    lower->addWidget(made);
    panels_.push_back(made);
  };
  over_time_->setToolTip(
      tr("Grey: sensor values of each tick, transformed to this quantity of the cut. Thick: sum of the averaged "
         "harmonics, corrected for sensor lag. A large difference shows noise, hum or harmonics not included. A shift "
         "along the periods is the corrected lag."));
  bars_->setToolTip(
      tr("Amplitude of each harmonic, of both sides of the cut. Harmonics without a bar are not controlled."));
  phasors_->setToolTip(
      tr("Amplitude and phase of each harmonic: the angle to the real axis is the phase to cos w t. If both sides "
         "balance, their arrows coincide."));
  panel(over_time_);
  panel(bars_);
  panel(phasors_);
  lower->setSizes({460, 240, 260});
  auto* parts = new Splitter(Qt::Vertical, nullptr, Splitter::Handle::thin);
  parts->setChildrenCollapsible(false);
  parts->addWidget(upper);
  parts->addWidget(lower);
  parts->setSizes({280, 280});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 4, 0, 0);
  layout->setSpacing(6);
  layout->addLayout(bar);
  layout->addWidget(remark_);
  layout->addWidget(parts, 1);
  connect(quantity_, &QComboBox::currentIndexChanged, this, &PointView::showQuantity);
  connect(set_, &QComboBox::currentIndexChanged, this, &PointView::showHarmonics);
  setFocusProxy(back_);
}

void PointView::showPoint(const SweepList& sweep, std::size_t row, const RunHistory* history,
                          const SweepReference* reference, const QString& sentence) {
  periods_ = std::make_shared<PointPeriods>(periodsOf(sweep, row, history, reference));
  sets_ = setsOf(sweep, row);
  sentence_->setText(sentence);
  remark_->setText(periods_->remark);
  remark_->setVisible(!periods_->remark.isEmpty());
  const auto is_named = [](const PeriodPlot* plot, const PointPeriods::Trace& trace) {
    return plot->name() == trace.title;
  };
  if (!std::equal(synchronisation_.begin(), synchronisation_.end(), periods_->traces.begin(), periods_->traces.end(),
                  is_named))
    buildSynchronisation();
  const auto fill = [](QComboBox* combo, const QStringList& names) {
    const QSignalBlocker quiet(combo);
    const int before = std::max(0, combo->currentIndex());
    combo->clear();
    combo->addItems(names);
    combo->setCurrentIndex(std::min<int>(before, static_cast<int>(names.size()) - 1));
  };
  QStringList traces, sets;
  for (const PointPeriods::Trace& trace : periods_->traces) traces << trace.title;
  for (const HarmonicSet& set : sets_) sets << set.title;
  fill(quantity_, traces);
  fill(set_, sets);
  for (std::size_t k = 0; k < synchronisation_.size(); ++k) synchronisation_[k]->setTrace(periods_, k);
  showQuantity();
  showHarmonics();
}

/// One plot for each quantity of this sweep.
void PointView::buildSynchronisation() {
  for (; !synchronisation_.empty(); synchronisation_.pop_back(), panels_.pop_back()) delete panels_.back();
  for (const PointPeriods::Trace& trace : periods_->traces) {
    auto* plot = new PeriodPlot(trace.title, PeriodPlot::Shows::synchronisation);
    plot->setToolTip(
        tr("Measured value over the value computed from the other half (motion from force, force from motion). A "
           "straight diagonal is a balance; an ellipse shows the phase difference. Grey: sensor values of each tick; "
           "thick: averaged."));
    synchronisation_.push_back(plot);
    panels_.push_back(new PlotPanel(plot));
    top_->addWidget(panels_.back());
  }
}

void PointView::showQuantity() {
  if (!periods_ || quantity_->currentIndex() < 0) return;
  over_time_->setTrace(periods_, static_cast<std::size_t>(quantity_->currentIndex()));
  for (PlotPanel* panel : panels_) panel->updateReading();
}

void PointView::showHarmonics() {
  const int at = set_->currentIndex();
  if (at < 0 || static_cast<std::size_t>(at) >= sets_.size()) return;
  for (HarmonicsPlot* plot : {bars_, phasors_}) plot->setHarmonics(sets_[static_cast<std::size_t>(at)]);
  for (PlotPanel* panel : panels_) panel->updateReading();
}

void PointView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Backspace:
      Q_EMIT closed();
      return;
    case Qt::Key_PageDown:
    case Qt::Key_PageUp:
      Q_EMIT stepped(event->key() == Qt::Key_PageUp ? 1 : -1);
      return;
    default:
      QWidget::keyPressEvent(event);
  }
}

}  // namespace hyb::ui
