#include "ui/plot/stride_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/loop/pacing.h"
#include "ui/base/widgets.h"
#include "ui/plot/plot_navigator.h"
#include "ui/plot/plot_panel.h"
#include "ui/plot/quantity_text.h"
#include "ui/plot/stride_figure.h"
#include "ui/plot/time_plot.h"

namespace hyb::ui {
namespace {

constexpr int kPicture_ms = 33;
constexpr double kManyRows = 10.0;  // step with Shift
constexpr double kNotANumber = kNoValue;

}  // namespace

StrideView::StrideView(TimeView* view, QWidget* parent)
    : QWidget(parent),
      view_(view),
      figure_(new StrideFigure(tr("Stride"))),
      ground_(new TimePlot(tr("Ground forces"), view)),
      hip_(new TimePlot(tr("Hip"), view)),
      feet_(new TimePlot(tr("Feet"), view)),
      play_(new QToolButton),
      back_(new QToolButton),
      on_(new QToolButton),
      export_(new QToolButton),
      slider_(new QSlider(Qt::Horizontal)),
      speed_(new QComboBox),
      time_(new QLabel) {
  ground_->setEmptyText(tr("Ground forces on both legs, upward and forward."));
  hip_->setEmptyText(tr("Height of the hip; dashed: reference gait."));
  feet_->setEmptyText(tr("Height of both feet; reference gait: left foot dashed, right foot dotted."));
  for (TimePlot* plot : {hip_, feet_}) plot->setSecondLook(tr("reference"), Role::excitation);
  ground_->setAxisUnit(false, "N", 1.0);
  for (TimePlot* plot : {hip_, feet_})
    for (const bool right : {false, true}) plot->setAxisUnit(right, "m", 1e-3, right ? tr("forward (mm)") : QString());

  play_->setObjectName(QStringLiteral("stride-play"));
  play_->setToolTip(tr("Plays the stride, or pauses it (Space)"));
  back_->setText(tr("◂ Row"));
  back_->setToolTip(tr("One row back (Left; with Shift ten)"));
  back_->setAccessibleName(tr("One row back"));
  on_->setText(tr("Row ▸"));
  on_->setToolTip(tr("One row on (Right; with Shift ten)"));
  on_->setAccessibleName(tr("One row on"));
  export_->setText(tr("Export…"));
  export_->setToolTip(tr("The picture as PNG, SVG or PDF"));
  slider_->setObjectName(QStringLiteral("stride-instant"));
  slider_->setAccessibleName(tr("Shown instant"));
  slider_->setToolTip(tr("Shown instant (Left, Right, Home, End)"));
  time_->setFont(figureFont(1.0, true));
  time_->setMinimumWidth(QFontMetrics(time_->font()).horizontalAdvance(QStringLiteral("000.000 s")) + 4);
  time_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  for (const double speed : {1.0, 0.5, 0.25, 0.1, 0.05}) speed_->addItem(tr("%1 × time").arg(speed), speed);
  speed_->setCurrentIndex(2);
  speed_->setAccessibleName(tr("Speed"));
  speed_->setToolTip(tr("Playing speed of the stride"));

  auto* controls = new QHBoxLayout;
  controls->setContentsMargins(0, 0, 0, 0);
  controls->setSpacing(6);
  controls->addWidget(play_);
  controls->addWidget(back_);
  controls->addWidget(on_);
  controls->addWidget(slider_, 1);
  controls->addWidget(time_);
  controls->addWidget(speed_);
  controls->addWidget(export_);
  auto* parts = new Splitter(Qt::Horizontal, nullptr, Splitter::Handle::thin);
  parts->setChildrenCollapsible(false);
  auto* left = addPanel(figure_);
  left->setFootnote(tr("pale: a swinging leg, without a knee · reference: on two sound legs"),
                    tr("A swinging leg is unloaded and has no knee in the model. It is drawn with its unloaded length, "
                       "or shorter to stay above the ground, and the rig holds its foot at that height. The reference "
                       "is the same walker without a rig, with the same start. Arrows: ground forces, 0.7 leg lengths "
                       "per body weight; they point to the virtual pivot. The foot below the ring is on the rig."));
  parts->addWidget(left);
  auto* right = new Splitter(Qt::Vertical, nullptr, Splitter::Handle::thin);
  right->setChildrenCollapsible(false);
  for (TimePlot* plot : {ground_, hip_, feet_}) right->addWidget(addPanel(plot));
  parts->addWidget(right);
  parts->setSizes({430, 490});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(6);
  layout->addWidget(parts, 1);
  layout->addLayout(controls);
  setFocusPolicy(Qt::StrongFocus);

  connect(play_, &QToolButton::clicked, this, [this] { play(!playing()); });
  connect(back_, &QToolButton::clicked, this, [this] { step(-1.0); });
  connect(on_, &QToolButton::clicked, this, [this] { step(1.0); });
  connect(export_, &QToolButton::clicked, this, [this] { figure_->findChild<PlotNavigator*>()->chooseExport(); });
  connect(slider_, &QSlider::valueChanged, this, [this](int row) {
    play(false);
    goTo(run_->rows().begin() + static_cast<std::uint64_t>(row));
  });
  connect(view_, &TimeView::instantChanged, this, [this] {
    if (due_) return;
    due_ = true;
    QTimer::singleShot(0, this, &StrideView::showInstant);
  });
  timer_.setInterval(kPicture_ms);
  connect(&timer_, &QTimer::timeout, this, &StrideView::advance);
  updateControls();
}

StrideView::~StrideView() = default;

PlotPanel* StrideView::addPanel(PlotView* plot) {
  panels_.push_back(new PlotPanel(plot));
  return panels_.back();
}

bool StrideView::setProject(const Project& project) {
  play(false);
  gait_.reset();
  try {
    gait_ = referenceGait(project);
  } catch (const InputError&) {
    // a project that cannot be built runs no test
  }
  walks_ = gait_.has_value();
  setRun(nullptr);
  return walks_;
}

void StrideView::setRun(std::shared_ptr<const RunHistory> run) {
  play(false);
  run_ = gait_ && run && walkerColumns(run->layout()) ? std::move(run) : nullptr;
  reference_.reset();
  taken_ = trial_tick_ = 0;
  between_ = true;
  if (run_) {
    reference_ = std::make_shared<RunHistory>(run_->layout(), run_->rateHz(), run_->rows().capacity());
    setCurves(run_->layout());
    takeRows();
  }
  for (TimePlot* plot : {ground_, hip_, feet_}) plot->setSource(run_, reference_);
  figure_->setRun(run_, reference_, gait_ ? gait_->tested() : WalkerParams());
  if (walks_) view_->setInstant(run_ && !run_->rows().empty() ? std::optional(begins_s()) : std::nullopt);
  if (run_ && !live_) markSteps();
  updateControls();
  showInstant();
}

void StrideView::setLive(bool live) {
  live_ = live;
  if (live) play(false);
  takeRows();
  if (!live && run_) markSteps();
  updateControls();
  refresh();
}

void StrideView::setCurves(const RowLayout& layout) {
  const WalkerColumns of = *walkerColumns(layout);
  ground_->setCurves({{tr("left ↑"), of[WalkerColumn::left_ground_y], Role::target},
                      {tr("right ↑"), of[WalkerColumn::right_ground_y], Role::measured},
                      {tr("left →"), of[WalkerColumn::left_ground_x], Role::target, Qt::DotLine},
                      {tr("right →"), of[WalkerColumn::right_ground_x], Role::measured, Qt::DotLine}});
  hip_->setCurves({{tr("height"), of[WalkerColumn::hip_y], Role::measured},
                   {tr("forward"), of[WalkerColumn::hip_x], Role::force, Qt::SolidLine, true, false}});
  feet_->setCurves({{tr("left ↑"), of[WalkerColumn::left_foot_y], Role::target},
                    {tr("right ↑"), of[WalkerColumn::right_foot_y], Role::measured},
                    {tr("left →"), of[WalkerColumn::left_foot_x], Role::target, Qt::DotLine, true, false},
                    {tr("right →"), of[WalkerColumn::right_foot_x], Role::measured, Qt::DotLine, true, false}});
}

/// Computes the reference gait row by row beside the test. Rows that are held or ramped out are no gait.
void StrideView::takeRows() {
  if (!run_) return;
  const RowHistory& rows = run_->rows();
  const WalkerColumns columns = *walkerColumns(run_->layout());
  std::vector<double> row(run_->layout().width());
  taken_ = std::max(taken_, rows.begin());
  for (; taken_ < rows.end(); ++taken_) {
    const double flags = rows.at(RowLayout::kFlags, taken_);
    const auto tick = static_cast<std::uint64_t>(rows.at(RowLayout::kTick, taken_));
    const bool pause = (static_cast<std::uint32_t>(flags) & kFlagBetweenTrials) != 0;
    if (between_ && !pause) {
      trial_tick_ = tick;
      between_ = false;
    }
    if (!coupled(flags)) between_ = true;
    std::ranges::fill(row, kNotANumber);
    for (const std::size_t kept : {RowLayout::kTick, RowLayout::kTime, RowLayout::kFlags})
      row[kept] = rows.at(kept, taken_);
    if (!between_) {
      const WalkerRow& walks = gait_->at(tick - trial_tick_);
      for (std::size_t c = 0; c < kWalkerColumns; ++c) row[columns.at[c]] = walks[c];
    }
    reference_->append(row);
  }
}

/// Touch-downs and take-offs, if they are few enough to be readable.
void StrideView::markSteps() {
  constexpr std::size_t kMost = 24;
  const RowHistory& rows = run_->rows();
  const WalkerColumns columns = *walkerColumns(run_->layout());
  std::vector<TimeFlag> flags;
  const auto look = [&](WalkerColumn ground, Role role, const QString& down, const QString& off) {
    bool stood = true;
    for (std::uint64_t row = rows.begin(); row < rows.end(); ++row) {
      const bool stands = rows.at(columns[ground], row) > 0.0;
      if (stands != stood && row > rows.begin())
        flags.push_back({rows.at(RowLayout::kTime, row), role, stands ? down : off});
      stood = stands;
    }
  };
  look(WalkerColumn::left_ground_y, Role::target, tr("left down"), tr("left off"));
  look(WalkerColumn::right_ground_y, Role::measured, tr("right down"), tr("right off"));
  if (flags.size() > kMost) flags.clear();
  ground_->setFlags(std::move(flags));
}

void StrideView::frame() {
  if (!live_ || !isVisible() || !run_ || run_->rows().empty()) return;
  takeRows();
  view_->setInstant(run_->latestTime());
  refresh();
}

void StrideView::refresh() {
  if (isVisible()) showInstant();
}

void StrideView::showInstant() {
  due_ = false;
  if (run_ && !run_->rows().empty()) {
    const RowHistory& rows = run_->rows();
    const double time_s =
        std::clamp(view_->instant().value_or(begins_s()), rows.at(RowLayout::kTime, rows.begin()), run_->latestTime());
    const std::uint64_t row =
        std::min(rows.end() - 1, rows.lowerBound(RowLayout::kTime, time_s - 1e-9, rows.begin(), rows.end()));
    figure_->setRow(row);
    const QSignalBlocker quiet(slider_);
    slider_->setRange(0, static_cast<int>(rows.end() - rows.begin() - 1));
    slider_->setPageStep(std::max(1, slider_->maximum() / 20));
    slider_->setValue(static_cast<int>(row - rows.begin()));
    time_->setText(tr("%1 s").arg(rows.at(RowLayout::kTime, row), 0, 'f', 3));
  } else {
    time_->setText(tr("– s"));
  }
  for (PlotPanel* panel : panels_) {
    panel->plot()->refresh();
    if (panel->isVisible()) panel->updateReading();
  }
}

double StrideView::begins_s() const {
  const RowHistory& rows = run_->rows();
  const std::size_t forward = (*walkerColumns(run_->layout()))[WalkerColumn::body_x];
  std::uint64_t row = rows.begin();
  while (row + 1 < rows.end() && rows.at(forward, row + 1) == rows.at(forward, row)) ++row;
  return rows.at(RowLayout::kTime, row + 1 < rows.end() ? row : rows.begin());
}

void StrideView::goTo(std::uint64_t row) {
  if (!run_ || run_->rows().empty()) return;
  const RowHistory& rows = run_->rows();
  view_->setInstant(rows.at(RowLayout::kTime, std::clamp(row, rows.begin(), rows.end() - 1)));
}

void StrideView::step(double count) {
  play(false);
  if (!run_ || live_ || run_->rows().empty()) return;
  const double row = static_cast<double>(figure_->row()) + count;
  goTo(static_cast<std::uint64_t>(std::max(row, static_cast<double>(run_->rows().begin()))));
}

void StrideView::play(bool on) {
  on = on && run_ && !live_ && !run_->rows().empty();
  if (on) {
    const double last_s = run_->latestTime(), from_s = view_->instant().value_or(begins_s());
    played_s_ = from_s < last_s ? std::max(from_s, begins_s()) : begins_s();
    looked_ns_ = systemClock().nowNs();
    timer_.start();
  } else {
    timer_.stop();
  }
  updateControls();
}

void StrideView::advance() {
  const std::int64_t now_ns = systemClock().nowNs();
  played_s_ +=
      1e-9 * static_cast<double>(now_ns - std::exchange(looked_ns_, now_ns)) * speed_->currentData().toDouble();
  const double last_s = run_->latestTime();
  view_->setInstant(std::min(played_s_, last_s));
  if (played_s_ >= last_s) play(false);
}

void StrideView::updateControls() {
  const bool moves = run_ && !live_ && !run_->rows().empty();
  for (QWidget* control : std::initializer_list<QWidget*>{play_, back_, on_, slider_, speed_})
    control->setEnabled(moves);
  export_->setEnabled(run_ != nullptr);
  play_->setText(live_ ? tr("Live") : playing() ? tr("Pause") : tr("Play"));
}

void StrideView::keyPressEvent(QKeyEvent* event) {
  if (!run_ || live_) return QWidget::keyPressEvent(event);
  const double rows = event->modifiers() & Qt::ShiftModifier ? kManyRows : 1.0;
  switch (event->key()) {
    case Qt::Key_Left:
      return step(-rows);
    case Qt::Key_Right:
      return step(rows);
    case Qt::Key_Home:
      return step(-static_cast<double>(run_->rows().end()));
    case Qt::Key_End:
      return step(static_cast<double>(run_->rows().end()));
    case Qt::Key_Space:
      return play(!playing());
    default:
      QWidget::keyPressEvent(event);
  }
}

void StrideView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  takeRows();
  showInstant();
}

void StrideView::hideEvent(QHideEvent* event) {
  play(false);
  QWidget::hideEvent(event);
}

}  // namespace hyb::ui
