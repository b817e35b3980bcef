#include "ui/plot/learning_view.h"

#include <QFrame>
#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QTableWidget>
#include <QVBoxLayout>
#include <cmath>
#include <utility>

#include "core/base/numbers.h"
#include "ui/base/theme.h"
#include "ui/base/widgets.h"
#include "ui/plot/harmonics_plot.h"
#include "ui/plot/learning_plot.h"
#include "ui/plot/plot_panel.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

constexpr qint64 kEvery_ms = 200;
constexpr int kResponseRow_px = 20;

QFrame* learningPanel(QWidget* content, const QString& title) {
  auto* frame = new Panel;
  auto* box = new QVBoxLayout(frame);
  box->setContentsMargins(8, 6, 8, 8);
  if (!title.isEmpty()) {
    auto* heading = new QLabel(title);
    heading->setFont(figureFont(1.0, true));
    box->addWidget(heading);
  }
  box->addWidget(content, 1);
  return frame;
}

}  // namespace

LearningView::LearningView(QWidget* parent)
    : QWidget(parent),
      gap_(new LearningPlot(tr("Learning curve"), LearningPlot::Shows::gap)),
      amplitudes_(new LearningPlot(tr("Command amplitudes"), LearningPlot::Shows::amplitudes)),
      bars_(new HarmonicsPlot(tr("Harmonics now"), HarmonicsPlot::Shows::bars)),
      phasors_(new HarmonicsPlot(tr("Phasors now"), HarmonicsPlot::Shows::phasors)),
      state_(new QLabel),
      response_(new QTableWidget) {
  clock_.start();
  state_->setObjectName(QStringLiteral("learning-state"));
  state_->setWordWrap(true);
  state_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  gap_->setEmptyText(
      tr("Mean square of the gap over each period, relative to that of the motion of the uncut structure.\nIt starts "
         "after identification and rest."));
  gap_->setToolTip(tr(
      "Mean square of the gap over each period, divided by the largest of the motion of the uncut structure (without "
      "it, of the rig). 1 (0 dB): the gap equals the motion; 1e-4 (−40 dB): a hundredth of it. A straight fall shows "
      "learning, a floor shows noise or harmonics not included. A rise shows divergence: stop the test."));
  amplitudes_->setEmptyText(tr("Amplitudes of the harmonics of each command."));
  amplitudes_->setToolTip(
      tr("One colour and line style per actuator, with a thick first harmonic. The amplitudes settle when the law has "
         "converged. A slow growth with a closed gap shows learnt noise."));
  bars_->setToolTip(tr("Present amplitude of each harmonic of the commands."));
  bars_->setEmptyText(tr("Harmonics of the commands."));
  phasors_->setToolTip(tr("Amplitudes with phases: the angle to the real axis is the phase to cos w t."));
  phasors_->setEmptyText(tr("Phases of the harmonics."));
  response_->setObjectName(QStringLiteral("identified-response"));
  response_->setAccessibleName(tr("Identified transfer matrix"));
  response_->setToolTip(
      tr("Identified effect of a command on a gap: amplitude of the gap per unit of the command, and phase lead. "
         "Similar columns: the effects of the actuators can hardly be separated at this harmonic."));
  response_->setEditTriggers(QTableWidget::NoEditTriggers);
  response_->setSelectionBehavior(QTableWidget::SelectRows);
  response_->setTabKeyNavigation(false);
  response_->setShowGrid(false);
  response_->setFrameShape(QFrame::NoFrame);
  response_->setFont(figureFont(0.9));
  response_->verticalHeader()->hide();
  response_->verticalHeader()->setMinimumSectionSize(kResponseRow_px);
  response_->verticalHeader()->setDefaultSectionSize(kResponseRow_px);
  response_->horizontalHeader()->setFont(figureFont(0.85));
  response_->horizontalHeader()->setHighlightSections(false);
  response_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);

  const auto split = [](Qt::Orientation way) {
    auto* made = new Splitter(way, nullptr, Splitter::Handle::thin);
    made->setChildrenCollapsible(false);
    return made;
  };
  const auto panel = [this](PlotView* plot) {
    panels_.push_back(new PlotPanel(plot));
    return panels_.back();
  };
  QSplitter *left = split(Qt::Vertical), *right = split(Qt::Vertical), *now = split(Qt::Horizontal),
            *halves = split(Qt::Horizontal);
  left->addWidget(panel(gap_));
  left->addWidget(panel(amplitudes_));
  left->setSizes({320, 220});
  now->addWidget(panel(bars_));
  now->addWidget(panel(phasors_));
  right->addWidget(now);
  right->addWidget(learningPanel(response_, tr("Identified: gap over command")));
  right->setSizes({280, 200});
  halves->addWidget(left);
  halves->addWidget(right);
  halves->setSizes({470, 440});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(6);
  layout->addWidget(learningPanel(state_, {}));
  layout->addWidget(halves, 1);
}

LearningView::~LearningView() = default;

void LearningView::showRecord(LearningRecord record) {
  record_ = std::move(record);
  for (LearningPlot* plot : {gap_, amplitudes_}) plot->fit();
  refreshNow();
}

void LearningView::push(std::span<const double> rows) {
  record_.push(rows);
  stale_ = true;
}

void LearningView::refresh() {
  if (!stale_ || !isVisible() || clock_.elapsed() < kEvery_ms) return;
  refreshNow();
}

void LearningView::refreshNow() {
  clock_.restart();
  stale_ = false;
  const LearningRecord* const shown = record_.any() ? &record_ : nullptr;
  for (LearningPlot* plot : {gap_, amplitudes_}) plot->setRecord(shown);
  for (HarmonicsPlot* plot : {bars_, phasors_}) plot->setHarmonics(record_.commands());
  fillResponse();
  say();
  for (PlotPanel* panel : panels_) panel->updateReading();
}

void LearningView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refreshNow();
}

void LearningView::say() {
  const double now = record_.now_s(), begins = record_.begins_s();
  if (!record_.any()) return state_->setText({});
  QString text = tr("First harmonic at %1 Hz.").arg(figureText(1.0 / record_.period_s(), 5));
  if (now <= 0.0)
    text += begins > 0.0 ? tr(" The rig is identified first; the test begins after %1 s.").arg(figureText(begins))
                         : tr(" The test begins at once.");
  else if (now < begins)
    text += tr(" Identification and rest: %1 of %2 s.").arg(figureText(now), figureText(begins));
  else
    for (std::size_t i = 0; i < record_.interfaces(); ++i) {
      const LearningCurve& curve = record_.curve(i);
      if (curve.size() == 0) continue;
      // The gap relative to the motion: the root of the NMSE.
      text += tr(" Gap %1: %2 % of the motion.")
                  .arg(i + 1)
                  .arg(numberText(100.0 * std::sqrt(curve.nmse(curve.size() - 1))));
    }
  state_->setText(text);
}

void LearningView::fillResponse() {
  const std::size_t axes = record_.interfaces(), orders = record_.orders().size();
  const bool known = record_.any() && record_.identified();
  const int rows = known ? static_cast<int>(axes * orders) : 0, columns = known ? static_cast<int>(axes) + 2 : 0;
  response_->parentWidget()->setVisible(known);
  if (response_->rowCount() != rows || response_->columnCount() != columns) {
    response_->setRowCount(rows);
    response_->setColumnCount(columns);
    QStringList headers{tr("at (Hz)"), tr("gap")};
    for (std::size_t a = 1; a <= axes; ++a)
      headers << tr("over command %1 (%2)").arg(a).arg(displayUnit(record_.responseUnit()).text);
    if (known) response_->setHorizontalHeaderLabels(headers);
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column) {
        auto* item = new QTableWidgetItem;
        item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        response_->setItem(row, column, item);
      }
  }
  if (!known) return;
  const double factor = displayUnit(record_.responseUnit()).factor;
  for (std::size_t h = 0; h < orders; ++h)
    for (std::size_t i = 0; i < axes; ++i) {
      const int row = static_cast<int>(h * axes + i);
      response_->item(row, 0)->setText(i == 0 ? figureText(record_.orders()[h] / record_.period_s(), 5) : QString());
      response_->item(row, 1)->setText(QString::number(i + 1));
      for (std::size_t a = 0; a < axes; ++a) {
        const std::complex<double> value = record_.response(i, a, h);
        response_->item(row, static_cast<int>(a) + 2)
            ->setText(std::abs(value) > 0.0
                          ? QStringLiteral("%1 ∠ %2°")
                                .arg(figureText(factor * std::abs(value)), numberText(std::arg(value) * 180.0 / kPi))
                          : QStringLiteral("–"));
      }
    }
}

}  // namespace hyb::ui
