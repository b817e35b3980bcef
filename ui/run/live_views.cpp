#include "ui/run/live_views.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QDataStream>
#include <QEvent>
#include <QLabel>
#include <QSplitter>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/compensation/addition.h"
#include "core/run/build.h"
#include "ui/base/widgets.h"
#include "ui/plot/capacity_plot.h"
#include "ui/plot/plot_panel.h"
#include "ui/plot/quantity_text.h"
#include "ui/plot/run_curves.h"
#include "ui/plot/subspace_plot.h"
#include "ui/plot/time_plot.h"
#include "ui/plot/timing_plot.h"

namespace hyb::ui {
namespace {

constexpr double kKept_s = 60.0;
constexpr std::size_t kMostRows = std::size_t{1} << 19;
constexpr qint64 kReading_ms = 200;

QEvent::Type frameDone() {
  static const auto type = static_cast<QEvent::Type>(QEvent::registerEventType());
  return type;
}

QComboBox* compactCombo(const QString& name) {
  auto* combo = new TitleCombo;
  combo->setAccessibleName(name);
  combo->setToolTip(name);
  return combo;
}

}  // namespace

LiveViews::LiveViews(QWidget* parent) : QWidget(parent) {
  frozen_banner_ = new QLabel;
  frozen_banner_->setProperty("mark", "warning");
  frozen_banner_->setAlignment(Qt::AlignCenter);
  frozen_banner_->setFont(figureFont(1.0, true));
  frozen_banner_->hide();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addWidget(frozen_banner_);
  reading_clock_.start();
  connect(&view_, &TimeView::changed, this, [this] {
    // While frames arrive, the next frame shows the change.
    if ((run_ != nullptr && !frozen_) || refresh_due_) return;
    refresh_due_ = true;
    QTimer::singleShot(0, this, &LiveViews::refreshAll);
  });
  build(2);
}

LiveViews::~LiveViews() = default;

PlotPanel* LiveViews::addPanel(PlotView* plot, QSplitter* row) {
  auto* panel = new PlotPanel(plot);
  row->addWidget(panel);
  panels_.push_back(panel);
  connect(panel, &PlotPanel::soloRequested, this, &LiveViews::solo);
  return panel;
}

void LiveViews::build(std::size_t interfaces) {
  interfaces_ = interfaces;
  delete rows_splitter_;
  panels_.clear();
  subspace_.clear();
  rows_splitter_ = new Splitter(Qt::Vertical, nullptr, Splitter::Handle::thin);
  rows_splitter_->setChildrenCollapsible(false);
  const auto row = [this] {
    auto* splitter = new Splitter(Qt::Horizontal, nullptr, Splitter::Handle::thin);
    splitter->setChildrenCollapsible(false);
    rows_splitter_->addWidget(splitter);
    return splitter;
  };
  QSplitter* top = row();
  for (std::size_t i = 0; i < interfaces; ++i) {
    auto* plot = new SubspacePlot(tr("Synchronisation %1").arg(i + 1), &view_);
    plot->setEmptyText(tr("Measured over target motion of interface %1.").arg(i + 1));
    subspace_.push_back(plot);
    addPanel(plot, top);
  }
  gap_ = new GapPlot(tr("Gap"), &view_);
  gap_->setEmptyText(tr("Gap between measured and target motion."));
  PlotPanel* gap_panel = addPanel(gap_, top);
  gap_interface_ = compactCombo(tr("Interface whose gap is shown"));
  gap_panel->addControl(gap_interface_);

  QSplitter* middle = row();
  time_ = new TimePlot(tr("Time history"), &view_);
  time_->setEmptyText(tr("Target, command and measured motion over time."));
  PlotPanel* time_panel = addPanel(time_, middle);
  time_interface_ = compactCombo(tr("Interface whose time history is shown"));
  window_ = compactCombo(tr("Length of the time axis"));
  for (const double seconds : {1.0, 2.0, 10.0, 60.0}) window_->addItem(tr("%1 s").arg(seconds), seconds);
  window_->setCurrentIndex(2);
  connect(window_, &QComboBox::currentIndexChanged, this, [this] { view_.follow(window_->currentData().toDouble()); });
  freeze_ = new QToolButton;
  freeze_->setText(tr("Freeze"));
  freeze_->setCheckable(true);
  freeze_->setChecked(frozen_);
  freeze_->setToolTip(tr("Freezes the plots (F9). The test, its recording and its limits continue."));
  freeze_->setStyleSheet(QStringLiteral("QToolButton { padding: 1px 6px; }"));
  connect(freeze_, &QToolButton::toggled, this, &LiveViews::freezeRequested);
  time_panel->addControl(time_interface_);
  time_panel->addControl(window_);
  time_panel->addControl(freeze_);
  tracking_ = new TimePlot(tr("Tracking"), &view_);
  tracking_->setEmptyText(trackingMeaning());
  addPanel(tracking_, middle);

  QSplitter* bottom = row();
  adapted_ = new TimePlot(tr("Adapted"), &view_);
  adapted_->setEmptyText(tr("Adapted quantities of the compensator."));
  PlotPanel* adapted_panel = addPanel(adapted_, bottom);
  adapted_group_ = compactCombo(tr("Shown group of adapted quantities"));
  adapted_group_->hide();
  adapted_panel->addControl(adapted_group_);
  connect(adapted_group_, &QComboBox::currentIndexChanged, this, &LiveViews::showAdaptedGroup);
  capacity_ = new CapacityPlot(tr("Capacity"), &view_);
  capacity_->setEmptyText(tr("Velocity and force of the actuators against their limits."));
  addPanel(capacity_, bottom);
  timing_ = new TimingPlot(tr("Timing"), &stats_);
  timing_->setEmptyText(tr("Lateness of the ticks in real time."));
  timing_panel_ = addPanel(timing_, bottom);

  for (QSplitter* line : {top, middle, bottom}) {
    QList<int> sizes;
    for (int i = 0; i < line->count(); ++i) sizes << (line == middle && i == 0 ? 640 : 320);
    line->setSizes(sizes);
  }
  rows_splitter_->setSizes({250, 220, 220});
  layout()->addWidget(rows_splitter_);
  for (QComboBox* combo : {gap_interface_, time_interface_}) {
    for (std::size_t i = 0; i < interfaces; ++i) combo->addItem(QString::number(i + 1));
    combo->setVisible(interfaces > 1);
    connect(combo, &QComboBox::currentIndexChanged, this, [this] {
      showInterface();
      refreshAll();
    });
  }
}

void LiveViews::prepare(const Project& project, std::size_t interfaces) {
  run_ = nullptr;
  history_.reset();
  shown_.reset();
  if (interfaces != interfaces_) build(interfaces);
  setSources(nullptr);
  configure(project, RowLayout(interfaces, {}, false, {}));
  const auto additions = additionsOf(*project.compensation.method);
  if (project.compensation.method->adapts() ||
      std::any_of(additions.begin(), additions.end(), [](const auto& placed) { return placed.spec->adapts(); }))
    adapted_->setEmptyText(tr("Adapted quantities of the compensator."));
  refreshAll();
}

void LiveViews::configure(const Project& project, const RowLayout& layout) {
  tolerance_ = project.analysis.gap_tolerance;
  envelope_s_ = project.analysis.window_s;
  const double frequency = excitationFrequency_hz(project);
  for (std::size_t i = 0; i < subspace_.size(); ++i)
    subspace_[i]->setInterface(i, project.analysis.window_s, frequency);
  capacity_->setActuators(project.twin.actuators, interfaces_);

  showColumns(layout);
}

void LiveViews::showColumns(const RowLayout& layout) {
  showTracking(*tracking_, layout);
  offerGroups(*adapted_group_, layout);
  showGroup(*adapted_, layout, *adapted_group_);
  showInterface();
}

void LiveViews::showAdaptedGroup() {
  if (!shown_) return;
  showGroup(*adapted_, shown_->layout(), *adapted_group_);
  refreshAll();
}

void LiveViews::showInterface() {
  const RowLayout layout = shown_ ? shown_->layout() : RowLayout(interfaces_, {}, false, {});
  const auto chosen = [this](const QComboBox* combo) {
    return std::min(static_cast<std::size_t>(std::max(0, combo->currentIndex())), interfaces_ - 1);
  };
  const std::size_t of_gap = chosen(gap_interface_);
  gap_->setGap(layout, of_gap, tolerance_.of(layout.signals()[of_gap]), envelope_s_);
  const std::size_t i = chosen(time_interface_);
  std::vector<bool> visible;
  for (const LegendEntry& entry : time_->legendEntries()) visible.push_back(entry.visible);
  std::vector<TimeCurve> curves = motionCurves(layout, i);
  for (std::size_t c = 0; c < std::min(visible.size(), curves.size()); ++c) curves[c].visible = visible[c];
  showUnits(*time_, layout, i);
  time_->setCurves(curves);
}

void LiveViews::attach(TestRun& run, Pace pace) {
  run_ = &run;
  pace_ = pace;
  stats_.clear();
  if (run.layout().interfaces() != interfaces_) build(run.layout().interfaces());
  const double rate = run.project().loop.rate_hz;
  // Trials are overlaid, so the history keeps all of them as far as memory allows.
  const LoopConfig& loop = run.project().loop;
  const double kept_s = std::max(kKept_s, loop.trials.count * (loop.trials.length_s + loop.trials.pause_s));
  history_ =
      std::make_shared<RunHistory>(run.layout(), rate, std::min(kMostRows, static_cast<std::size_t>(kept_s * rate)),
                                   CountedRows(analysisWindow(run.project().document, rate)));
  shown_ = history_;
  view_.freezeAt({});
  if (frozen_) Q_EMIT freezeRequested(false);
  view_.follow(window_->currentData().toDouble());
  setSources(nullptr);  // each test has its own columns
  configure(run.project(), run.layout());
  setSources(shown_);
  refreshAll();
}

void LiveViews::setSources(const std::shared_ptr<const RunHistory>& rows) {
  for (SubspacePlot* plot : subspace_) plot->setSource(rows);
  for (TimePlot* plot : {static_cast<TimePlot*>(gap_), time_, tracking_, adapted_}) plot->setSource(rows);
  capacity_->setSource(rows);
  timing_->setSource(rows, pace_ == Pace::real_time);
  timing_->setEmptyText(pace_ == Pace::real_time ? tr("Lateness of the ticks in real time.")
                                                 : tr("Free run: no pacing, so no tick is late."));
}

void LiveViews::replaceHistory(std::shared_ptr<const RunHistory> history) {
  if (!history || history->layout().interfaces() != interfaces_) return;
  shown_ = std::move(history);
  setSources(nullptr);
  showColumns(shown_->layout());  // a file stores its channels in another order
  setSources(shown_);
  refreshAll();
}

void LiveViews::detach() {
  drain();
  run_ = nullptr;
  refreshAll();
}

void LiveViews::drain() {
  if (run_ == nullptr || !history_) return;
  constexpr std::size_t kBatch = 1024;
  const std::size_t width = run_->layout().width();
  while (const std::size_t count = run_->displayRows().pop(rows_, kBatch)) {
    const auto taken = std::span<const double>(rows_).first(count * width);
    for (std::size_t r = 0; r < count; ++r) history_->append(taken.subspan(r * width, width));
    Q_EMIT rowsTaken(taken);
  }
}

void LiveViews::frame() {
  frame_start_ = FrameStats::Clock::now();
  drain();
  ++frame_;
  if (frozen_ || !isVisible() || (governor_.halfRate() && frame_ % 2 == 0)) return;
  const std::size_t phase = governor_.halfRate() ? frame_ / 2 : frame_;
  for (std::size_t p = phase % 2; p < panels_.size(); p += 2) {
    panels_[p]->plot()->setAntialiasing(governor_.antialiasing());
    panels_[p]->plot()->refresh();
  }
  if (reading_clock_.elapsed() >= kReading_ms) updateReadings();
  // Painting uses a low-priority event; this event follows it and so measures the whole frame.
  QCoreApplication::postEvent(this, new QEvent(frameDone()), Qt::LowEventPriority - 1);
}

bool LiveViews::event(QEvent* event) {
  if (event->type() == frameDone()) {
    const auto now = FrameStats::Clock::now();
    stats_.add(frame_start_, now);
    governor_.add(std::chrono::duration<double, std::milli>(now - frame_start_).count());
    return true;
  }
  return QWidget::event(event);
}

void LiveViews::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refreshAll();  // shows changes made while the page was hidden
}

void LiveViews::refreshAll() {
  refresh_due_ = false;
  for (PlotPanel* panel : panels_) panel->plot()->refresh();
  updateReadings();
}

void LiveViews::updateReadings() {
  reading_clock_.restart();
  for (PlotPanel* panel : panels_)
    if (panel->isVisible()) panel->updateReading();
  if (shown_)
    timing_panel_->setFootnote(timing_->detail(shown_ == history_ && run_ != nullptr ? run_->displayDropped() : 0),
                               timing_->detailMeaning());
}

void LiveViews::setFrozen(bool frozen) {
  if (frozen_ == frozen) return;
  frozen_ = frozen;
  {
    const QSignalBlocker quiet(freeze_);
    freeze_->setChecked(frozen);
  }
  frozen_banner_->setVisible(frozen);
  if (frozen && shown_)
    frozen_banner_->setText(
        tr("Plots frozen at %1. The test continues. Press F9 to resume.").arg(clockText(shown_->latestTime())));
  view_.freezeAt(frozen && shown_ ? std::optional(shown_->rows().end()) : std::nullopt);
}

void LiveViews::solo(PlotPanel* panel) {
  const bool alone = std::count_if(panels_.begin(), panels_.end(), [](PlotPanel* p) { return !p->isHidden(); }) == 1;
  for (PlotPanel* other : panels_) other->setVisible(alone || other == panel);
  for (int row = 0; row < rows_splitter_->count(); ++row)
    rows_splitter_->widget(row)->setVisible(alone || rows_splitter_->widget(row)->isAncestorOf(panel));
  refreshAll();
}

QByteArray LiveViews::saveLayout() const {
  QByteArray state;
  QDataStream stream(&state, QIODevice::WriteOnly);
  stream << quint32(interfaces_) << rows_splitter_->saveState();
  for (int row = 0; row < rows_splitter_->count(); ++row)
    stream << static_cast<QSplitter*>(rows_splitter_->widget(row))->saveState();
  return state;
}

void LiveViews::restoreLayout(const QByteArray& state) {
  QDataStream stream(state);
  quint32 interfaces = 0;
  QByteArray part;
  stream >> interfaces >> part;
  if (stream.status() != QDataStream::Ok || interfaces != interfaces_) return;
  rows_splitter_->restoreState(part);
  for (int row = 0; row < rows_splitter_->count(); ++row) {
    stream >> part;
    if (stream.status() == QDataStream::Ok) static_cast<QSplitter*>(rows_splitter_->widget(row))->restoreState(part);
  }
}

}  // namespace hyb::ui
