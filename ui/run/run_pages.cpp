#include "ui/run/run_pages.h"

#include <vector>

#include "core/run/build.h"
#include "ui/plot/periodic_pages.h"
#include "ui/plot/platform_figure.h"
#include "ui/plot/plot_panel.h"
#include "ui/plot/power_view.h"
#include "ui/plot/run_loader.h"
#include "ui/plot/stride_view.h"
#include "ui/plot/sweep_view.h"
#include "ui/plot/time_view.h"
#include "ui/plot/trials_view.h"
#include "ui/run/live_views.h"
#include "ui/run/measures_view.h"

namespace hyb::ui {
namespace {

constexpr double kMovingWindow_s = 4.0;

std::size_t interfaceCount(const Project& project) {
  try {
    return buildPartition(project).interface.size();
  } catch (const InputError&) {
    return 1;
  }
}

}  // namespace

RunPages::RunPages(RunController* controller, QWidget* parent)
    : QTabWidget(parent),
      controller_(controller),
      views_(new LiveViews),
      measures_(new MeasuresView),
      trials_(new TrialsView),
      moving_view_(new TimeView(this)),
      power_(new PowerView(moving_view_)),
      stride_(new StrideView(moving_view_)),
      platform_(new PlatformFigure(tr("Platform"), moving_view_)),
      platform_panel_(new PlotPanel(platform_)) {
  setDocumentMode(true);
  addTab(views_, tr("Plots"));
  addTab(measures_, tr("Fidelity"));
  addTab(trials_, tr("Trials"));
  setTabVisible(indexOf(trials_), false);
  addTab(power_, tr("Power"));
  addTab(stride_, tr("Stride"));
  setTabVisible(indexOf(stride_), false);
  addTab(platform_panel_, tr("Platform"));
  setTabVisible(indexOf(platform_panel_), false);
  periodic_ = new PeriodicPages(this);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Ignored);  // shrinks for the list before Run
  connect(moving_view_, &TimeView::changed, this, [this] {
    power_->refresh();
    stride_->refresh();
    platform_->refresh();
  });
  connect(views_, &LiveViews::rowsTaken, measures_, &MeasuresView::push);
  connect(views_, &LiveViews::rowsTaken, periodic_, &PeriodicPages::push);
  connect(views_, &LiveViews::rowsTaken, this, &RunPages::rowsTaken);
}

void RunPages::setProject(const Project& project) {
  if (const std::size_t count = interfaceCount(project); !views_->showsRun(count)) prepare(project, count);
  if (trials_->trials().count() == 0) announceTrials(project);
  if (!periodic_->begun()) periodic_->announce(project);
}

void RunPages::forget(const Project& project) {
  measures_->clear();
  prepare(project, interfaceCount(project));
  announceTrials(project);
  periodic_->announce(project);
}

void RunPages::prepare(const Project& project, std::size_t interfaces) {
  views_->prepare(project, interfaces);
  setTabVisible(indexOf(stride_), stride_->setProject(project));
  setTabVisible(indexOf(platform_panel_), platform_->setProject(project));
  power_->setRows(RowLayout(interfaces, {}, false, {}, {}, project.coupling->channels(interfaces)));
}

/// Shows the trial rules of the next test, if it has trials.
void RunPages::announceTrials(const Project& project) {
  TrialList list;
  if (project.loop.trials.count > 0)  // interfaces are not known yet
    list = TrialList(project.loop.trials, project.loop.rate_hz, trialColumns({}, {}));
  showTrials(std::move(list), false);
}

void RunPages::showTrials(TrialList list, bool over) {
  setTabVisible(indexOf(trials_), list.any());
  trials_->showTrials(std::move(list), over);
}

void RunPages::attach(TestRun& test, Pace pace) {
  const Project& project = test.project();
  views_->attach(test, pace);
  measures_->attach(project, test.layout());
  const LoopConfig& loop = project.loop;
  showTrials(loop.trials.count > 0 ? TrialList(loop.trials, loop.rate_hz, test.layout().segmentColumns()) : TrialList(),
             false);
  setTabVisible(indexOf(stride_), stride_->setProject(project));
  setTabVisible(indexOf(platform_panel_), platform_->setProject(project));
  power_->setRows(test.layout());
  moving_view_->follow(kMovingWindow_s);
  showHistory();
  stride_->setLive(true);
  periodic_->attach(project, test.layout(), views_->sharedHistory());
}

void RunPages::frame() {
  views_->frame();
  if (!views_->frozen() && ++moving_frame_ % 2 == 0) {  // at half the rate of the plots
    stride_->frame();
    if (controller_->active()) {
      power_->refresh();
      showPlatform();
    }
  }
  takeSegments();
  periodic_->frame();
}

void RunPages::end() {
  views_->detach();
  measures_->detach();
  stride_->setLive(false);
  platform_panel_->updateReading();
  moving_view_->follow(0.0);  // the whole run
  takeSegments();
  trials_->end();
  periodic_->end();
}

/// Takes the results of finished trials or frequencies.
void RunPages::takeSegments() {
  TestRun* test = controller_->run();
  RowRing* ring = test != nullptr && !controller_->opening() ? test->displaySegments() : nullptr;
  if (ring == nullptr) return;
  std::vector<std::vector<double>> done;
  for (std::vector<double> row; ring->pop(row, 1) > 0;) done.push_back(row);
  if (test->project().loop.trials.count == 0) return periodic_->append(std::move(done));
  trials_->append(std::move(done));
  trials_->setRunning(controller_->active() ? test->status().trial.load(std::memory_order_relaxed) : 0);
}

void RunPages::showPlatform() {
  constexpr unsigned kReadingFrames = 12;  // the numbers beside the title change more slowly
  platform_->refresh();
  if (platform_->isVisible() && moving_frame_ % kReadingFrames == 0) platform_panel_->updateReading();
}

/// Stride, platform, power and trials show the same run as the plots.
void RunPages::showHistory() {
  const auto history = views_->sharedHistory();
  platform_->setRun(history);
  stride_->setRun(history);
  power_->setRun(history);
  trials_->setRun(history);
}

void RunPages::readBack(const QString& file) {
  reading_back_.submit([this, file]() -> LatestTask::Deliver {
    try {
      LoadProgress progress;
      return [this, run = loadRun(file, progress)] {
        if (controller_->active() || !run->history) return;
        views_->replaceHistory(run->history);
        showHistory();
        periodic_->replaceRows(*run);
      };
    } catch (const std::exception& error) {
      return [this, problem = QString::fromUtf8(error.what())] { Q_EMIT failed(problem); };
    }
  });
}

bool RunPages::sweepCanGoOn() const { return periodic_->sweep()->canGoOn(); }

}  // namespace hyb::ui
