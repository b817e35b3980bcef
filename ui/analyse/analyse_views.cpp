#include "ui/analyse/analyse_views.h"

#include <QComboBox>
#include <QSplitter>
#include <QTimer>
#include <algorithm>

#include "core/tick/event.h"
#include "ui/base/widgets.h"
#include "ui/plot/capacity_plot.h"
#include "ui/plot/periodic_pages.h"
#include "ui/plot/plot_panel.h"
#include "ui/plot/power_view.h"
#include "ui/plot/run_curves.h"
#include "ui/plot/stride_view.h"
#include "ui/plot/subspace_plot.h"
#include "ui/plot/sweep_view.h"
#include "ui/plot/time_plot.h"
#include "ui/plot/timing_plot.h"
#include "ui/plot/trials_view.h"

namespace hyb::ui {
namespace {

QSplitter* splitter(Qt::Orientation orientation) {
  auto* made = new Splitter(orientation, nullptr, Splitter::Handle::thin);
  made->setChildrenCollapsible(false);
  return made;
}

/// Short labels for events; the list of events has the sentences. Of very many events, the flags show limits and stops
/// first, and of these the last ones.
std::vector<TimeFlag> flagsOf(const LoadedRun& run) {
  std::vector<TimeFlag> flags;
  for (const RecordedEvent& event : run.events) {
    TimeFlag flag{static_cast<double>(event.tick) / run.info.rate_hz, Role::excitation, {}};
    switch (static_cast<EventCode>(event.code)) {
      case EventCode::limit_hit:
        flag.role = Role::error;
        flag.text = AnalyseViews::tr("limit");
        break;
      case EventCode::operator_note:
        flag.role = Role::accent;
        flag.text = AnalyseViews::tr("note");
        break;
      case EventCode::operator_stop:
        flag.role = Role::error;
        flag.text = AnalyseViews::tr("stop");
        break;
      case EventCode::operator_hold:
        flag.text = AnalyseViews::tr("hold");
        break;
      case EventCode::operator_resume:
        flag.text = AnalyseViews::tr("resume");
        break;
      case EventCode::parameter_changed:
        flag.text = AnalyseViews::tr("tuned");
        break;
      case EventCode::limit_changed:
        flag.text = AnalyseViews::tr("limit changed");
        break;
      case EventCode::force_source_changed:
        flag.text = AnalyseViews::tr("forces");
        break;
      default:
        continue;
    }
    flags.push_back(flag);
  }
  return mostTelling(std::move(flags));
}

}  // namespace

AnalyseViews::AnalyseViews(QWidget* parent) : QTabWidget(parent) {
  setDocumentMode(true);
  setAccessibleName(tr("Plots of the run"));
  view_.follow(0.0);
  connect(&view_, &TimeView::changed, this, [this] {
    if (refresh_due_) return;
    refresh_due_ = true;
    QTimer::singleShot(0, this, &AnalyseViews::refreshAll);
  });
  connect(&view_, &TimeView::instantChanged, this, [this] {
    if (stride_ == nullptr || !stride_->isVisible()) Q_EMIT view_.changed();  // otherwise the plots update themselves
  });
  connect(this, &QTabWidget::currentChanged, this, &AnalyseViews::refreshAll);
}

AnalyseViews::~AnalyseViews() = default;

PlotPanel* AnalyseViews::addPanel(PlotView* plot, QSplitter* row) {
  auto* panel = new PlotPanel(plot);
  row->addWidget(panel);
  panels_.push_back(panel);
  return panel;
}

void AnalyseViews::build(std::size_t interfaces) {
  interfaces_ = interfaces;
  panels_.clear();
  subspace_.clear();
  power_ = nullptr;
  stride_ = nullptr;
  while (count() > 0) {
    QWidget* page = widget(0);
    removeTab(0);
    delete page;
  }
  QSplitter* motion = splitter(Qt::Vertical);
  QSplitter* top = splitter(Qt::Horizontal);
  motion->addWidget(top);
  for (std::size_t i = 0; i < interfaces; ++i) {
    subspace_.push_back(new SubspacePlot(tr("Synchronisation %1").arg(i + 1), &view_));
    addPanel(subspace_.back(), top);
  }
  gap_ = new GapPlot(tr("Gap"), &view_);
  gap_panel_ = addPanel(gap_, motion);
  time_ = new TimePlot(tr("Time history"), &view_);
  PlotPanel* time_panel = addPanel(time_, motion);
  gap_panel_->setFootnote(part_);
  motion->setSizes({260, 170, 190});
  const auto chooser = [](PlotPanel* panel, const QString& name, std::size_t choices) {
    auto* combo = new TitleCombo;
    combo->setAccessibleName(name);
    combo->setToolTip(name);
    for (std::size_t i = 0; i < choices; ++i) combo->addItem(QString::number(i + 1));
    combo->setVisible(choices > 1);
    panel->addControl(combo);
    return combo;
  };
  gap_interface_ = chooser(gap_panel_, tr("Interface whose gap is shown"), interfaces);
  time_interface_ = chooser(time_panel, tr("Interface whose time history is shown"), interfaces);
  for (QComboBox* combo : {gap_interface_, time_interface_})
    connect(combo, &QComboBox::currentIndexChanged, this, [this] {
      showInterface();
      refreshAll();
    });

  QSplitter* rig = splitter(Qt::Vertical);
  QSplitter *upper = splitter(Qt::Horizontal), *lower = splitter(Qt::Horizontal);
  rig->addWidget(upper);
  rig->addWidget(lower);
  tracking_ = new TimePlot(tr("Tracking"), &view_);
  adapted_ = new TimePlot(tr("Adapted"), &view_);
  capacity_ = new CapacityPlot(tr("Capacity"), &view_);
  timing_ = new TimingPlot(tr("Timing"), &no_frames_);
  addPanel(tracking_, upper);
  PlotPanel* adapted_panel = addPanel(adapted_, upper);
  adapted_group_ = chooser(adapted_panel, tr("Shown group of adapted quantities"), 0);
  connect(adapted_group_, &QComboBox::currentIndexChanged, this, [this] {
    if (!a_) return;
    showGroup(*adapted_, a_->history->layout(), *adapted_group_);
    refreshAll();
  });
  addPanel(capacity_, lower);
  addPanel(timing_, lower);
  addTab(motion, tr("Motion"));
  addTab(rig, tr("Compensation, rig and timing"));
  trials_ = new TrialsView;
  trials_->opensTrials();
  connect(trials_, &TrialsView::trialOpened, this, [this, motion](double from_s, double to_s) {
    view_.show(from_s, to_s);
    setCurrentWidget(motion);
  });
  addTab(trials_, tr("Trials"));
  connect(trials_, &TrialsView::beginRequested, this, &AnalyseViews::beginRequested);
  power_ = new PowerView(&view_);
  addTab(power_, tr("Power"));
  stride_ = new StrideView(&view_);
  addTab(stride_, tr("Stride"));
  delete periodic_;
  periodic_ = new PeriodicPages(this);
  connect(periodic_->sweep(), &SweepView::goOnRequested, this, &AnalyseViews::goOnRequested);
}

void AnalyseViews::showTrials() {
  setTabVisible(indexOf(trials_), a_->trials.any());
  trials_->showTrials(a_->trials, true);
  trials_->setRun(a_->history);
  for (const RecordedEvent& event : a_->events)
    if (event.code == static_cast<int>(EventCode::learnt_restored)) trials_->setRestored(event.index);
}

void AnalyseViews::show(std::shared_ptr<const LoadedRun> a, std::shared_ptr<const LoadedRun> b) {
  const bool another = a_ != a;
  a_ = std::move(a);
  b_ = std::move(b);
  const RowLayout& layout = a_->history->layout();
  if (layout.interfaces() != interfaces_) build(layout.interfaces());
  const auto second = b_ ? b_->history : nullptr;
  for (std::size_t i = 0; i < subspace_.size(); ++i) {
    subspace_[i]->setInterface(i, a_->window_s, a_->frequency_hz);
    subspace_[i]->setSource(a_->history, second);
  }
  showTracking(*tracking_, layout);
  offerGroups(*adapted_group_, layout);
  showGroup(*adapted_, layout, *adapted_group_);
  capacity_->setActuators(a_->project ? a_->project->twin.actuators : std::vector<ActuatorSpec>{}, interfaces_);
  capacity_->setSource(a_->history);
  const bool paced = a_->info.pace != Realtime::free_run;
  timing_->setSource(a_->history, paced);
  timing_->setEmptyText(paced ? QString() : tr("Free run: no pacing, so no tick is late."));
  for (TimePlot* plot : {static_cast<TimePlot*>(gap_), time_, tracking_, adapted_}) {
    plot->setSource(a_->history, second);
    plot->setFlags(flagsOf(*a_));
  }
  if (another) {
    showTrials();
    setTabVisible(indexOf(stride_), a_->project && stride_->setProject(*a_->project));
    if (!isTabVisible(indexOf(stride_))) view_.setInstant({});
    stride_->setRun(a_->history);
    periodic_->showRun(*a_);
  }
  power_->setRun(a_->history, second);
  showInterface();
  if (another) view_.follow(0.0);
  refreshAll();
}

void AnalyseViews::showInterface() {
  if (!a_) return;
  const RowLayout& layout = a_->history->layout();
  const auto chosen = [](const QComboBox* combo) {
    return static_cast<std::size_t>(std::max(0, combo->currentIndex()));
  };
  const std::size_t of_gap = chosen(gap_interface_);
  gap_->setGap(layout, of_gap, a_->tolerance.of(layout.signals()[of_gap]), a_->window_s);
  std::vector<TimeCurve> curves = motionCurves(layout, chosen(time_interface_));
  const std::vector<LegendEntry> before = time_->legendEntries();
  for (std::size_t c = 0; c < std::min(before.size(), curves.size()); ++c) curves[c].visible = before[c].visible;
  showUnits(*time_, layout, chosen(time_interface_));
  time_->setCurves(std::move(curves));
}

void AnalyseViews::setAnalysedPart(const QString& sentence) {
  part_ = sentence;
  if (gap_panel_ != nullptr) gap_panel_->setFootnote(part_);
}

void AnalyseViews::setRepeatability(const QString& sentence) {
  if (trials_ != nullptr) trials_->showRepeatability(sentence);
}

void AnalyseViews::showInstant(double time_s) {
  constexpr double kHalfWindow_s = 1.0;
  view_.show(std::max(0.0, time_s - kHalfWindow_s), std::max(0.0, time_s - kHalfWindow_s) + 2.0 * kHalfWindow_s);
}

void AnalyseViews::refreshAll() {
  refresh_due_ = false;
  if (power_ != nullptr) power_->refresh();
  if (stride_ != nullptr) stride_->refresh();
  for (PlotPanel* panel : panels_) {
    panel->plot()->refresh();
    if (panel->isVisible()) panel->updateReading();
    if (const auto* subspace = qobject_cast<const SubspacePlot*>(panel->plot())) {
      const QString second = subspace->secondReading();
      panel->setFootnote(second.isEmpty() ? QString() : tr("B: %1").arg(second));
    } else if (panel->plot() == timing_) {
      panel->setFootnote(timing_->detail(0), timing_->detailMeaning());
    }
  }
}

}  // namespace hyb::ui
