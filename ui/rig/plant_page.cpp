#include "ui/rig/plant_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QFrame>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/numbers.h"
#include "ui/document/field_editors.h"
#include "ui/plot/plot_panel.h"
#include "ui/plot/quantity_text.h"
#include "ui/plot/response_plot.h"

namespace hyb::ui {
namespace {

constexpr int kColumn_px = 400, kRoot_px = 20;
constexpr double kFrom_hz = 0.1;

/// Evenly over the decades, and closely about each resonance.
std::vector<double> linesFor(const Plant& plant, double to_hz) {
  constexpr int kLines = 300;
  std::vector<double> lines;
  for (int k = 0; k <= kLines; ++k) lines.push_back(kFrom_hz * std::pow(to_hz / kFrom_hz, k / double(kLines)));
  for (const auto* roots : {&plant.poles, &plant.zeros})
    for (const std::complex<double>& root : *roots)
      for (int k = -6; k <= 6; ++k) {
        const double hz = (std::abs(root.imag()) + 0.5 * k * std::abs(root.real())) / kTwoPi;
        if (root.imag() != 0.0 && hz > kFrom_hz && hz < to_hz) lines.push_back(hz);
      }
  std::ranges::sort(lines);
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

}  // namespace

PlantPage::PlantPage(QWidget* parent)
    : QWidget(parent),
      actuators_(new QComboBox),
      kept_(new QComboBox),
      leave_(new QCheckBox(tr("Without what nearly cancels"))),
      roots_(new QTreeWidget),
      gains_(new QLabel),
      reduction_(new QLabel) {
  setAccessibleName(tr("Plant"));
  setObjectName(QStringLiteral("plant-page"));
  const QString names[] = {tr("Magnitude"), tr("Phase"), tr("Delay")};
  constexpr ResponsePlot::Shows kShows[] = {ResponsePlot::Shows::magnitude, ResponsePlot::Shows::phase,
                                            ResponsePlot::Shows::delay};
  auto* plots = new QSplitter(Qt::Vertical);
  plots->setChildrenCollapsible(false);
  plots->setHandleWidth(8);
  for (std::size_t p = 0; p < plots_.size(); ++p) {
    plots_[p] = new ResponsePlot(names[p], kShows[p], ResponsePlot::Over::decades, {tr("plant"), tr("without")});
    plots_[p]->setObjectName(QStringLiteral("plant-") + names[p].toLower());
    panels_[p] = new PlotPanel(plots_[p]);
    plots->addWidget(panels_[p]);
  }
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 8, 0, 0);
  row->setSpacing(8);
  row->addWidget(makeColumn());
  row->addWidget(plots, 1);
  connect(actuators_, &QComboBox::currentIndexChanged, this, &PlantPage::showPlant);
  connect(kept_, &QComboBox::currentIndexChanged, this, &PlantPage::showPlant);
  connect(leave_, &QCheckBox::toggled, this, &PlantPage::showPlant);
  setFocusProxy(roots_);
  showPlant();
}

QWidget* PlantPage::makeColumn() {
  auto* panel = new QFrame;
  panel->setProperty("panel", true);
  panel->setFixedWidth(kColumn_px);
  auto* title = new QLabel(tr("Plant of the twin"));
  title->setFont(figureFont(1.0, true));
  auto* says = new QLabel(tr("What an actuator makes of its command with the specimen behind it, for small motions."));
  says->setWordWrap(true);
  says->setProperty("muted", true);
  actuators_->setObjectName(QStringLiteral("plant-actuator"));
  actuators_->setAccessibleName(tr("Actuator"));
  actuators_->setToolTip(tr("Whose motion over whose command"));
  roots_->setObjectName(QStringLiteral("plant-roots"));
  roots_->setAccessibleName(tr("Poles and zeros"));
  roots_->setHeaderLabels({tr("1/s"), tr("Hz"), tr("damping")});
  roots_->setIndentation(8);
  roots_->setRootIsDecorated(false);
  roots_->setUniformRowHeights(true);
  roots_->setFrameShape(QFrame::NoFrame);
  roots_->setFont(figureFont(0.9));
  roots_->header()->setStretchLastSection(false);
  roots_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  for (int column : {1, 2}) roots_->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  gains_->setObjectName(QStringLiteral("plant-gains"));
  leave_->setObjectName(QStringLiteral("plant-reduce"));
  leave_->setToolTip(
      tr("Draws beside it the response without the poles and zeros that nearly cancel, as a model of "
         "fewer poles would be designed from"));
  kept_->setObjectName(QStringLiteral("plant-kept"));
  kept_->setAccessibleName(tr("Gain that is kept"));
  kept_->addItem(tr("gain kept far up"));
  kept_->addItem(tr("gain kept at rest"));
  kept_->setToolTip(
      tr("Far up: as the roots alone have it, and slow motion is off. At rest: slow motion stays right."));
  reduction_->setObjectName(QStringLiteral("plant-reduction"));
  for (QLabel* label : {gains_, reduction_}) {
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  auto* reduce = new QHBoxLayout;
  reduce->setSpacing(8);
  reduce->addWidget(leave_, 1);
  reduce->addWidget(kept_);
  auto* box = new QVBoxLayout(panel);
  box->setContentsMargins(12, 8, 12, 8);
  box->setSpacing(8);
  box->addWidget(title);
  box->addWidget(says);
  box->addWidget(actuators_);
  box->addWidget(roots_, 1);
  box->addWidget(gains_);
  box->addLayout(reduce);
  box->addWidget(reduction_);
  return panel;
}

void PlantPage::setProject(const std::optional<Project>& project) {
  project_ = project;
  due_ = project_.has_value();
  if (!due_) {
    task_.cancel();
    take({}, 0.0, {});
  }
  consider();
}

void PlantPage::setTestActive(bool active) {
  test_active_ = active;
  consider();
}

void PlantPage::consider() {
  if (!due_ || test_active_ || !isVisible()) return;
  due_ = false;
  task_.submit([this, project = *project_]() -> LatestTask::Deliver {
    std::vector<Plant> plants;
    double to_hz = 0.0;
    QString failed;
    try {
      plants = plantsOf(project);
      to_hz = plantFrequencies(project).back();
    } catch (const std::exception& error) {
      failed = QString::fromUtf8(error.what());
    }
    return [this, plants = std::move(plants), to_hz, failed] { take(plants, to_hz, failed); };
  });
}

void PlantPage::take(std::vector<Plant> plants, double to_hz, const QString& failed) {
  plants_ = std::move(plants);
  to_hz_ = to_hz;
  plots_[0]->setEmptyText(failed.isEmpty() ? tr("What the actuator makes of its command, over the frequency.")
                                           : tr("Nothing can be said of the plant: %1").arg(failed));
  QStringList names, shown;
  for (const Plant& plant : plants_) names << QString::fromStdString(plant.dof);
  for (int i = 0; i < actuators_->count(); ++i) shown << actuators_->itemText(i);
  if (names != shown && !names.isEmpty()) {
    const QSignalBlocker quiet(actuators_);
    actuators_->clear();
    actuators_->addItems(names);
  }
  actuators_->setVisible(actuators_->count() > 1);
  showPlant();
}

void PlantPage::showPlant() {
  const auto at = static_cast<std::size_t>(std::max(0, actuators_->currentIndex()));
  if (at >= plants_.size()) {
    roots_->clear();
    gains_->clear();
    reduction_->clear();
    for (QWidget* widget : std::initializer_list<QWidget*>{leave_, kept_}) widget->setEnabled(false);
    for (ResponsePlot* plot : plots_) plot->setCurves(nullptr);
    return;
  }
  const Plant& plant = plants_[at];
  const std::vector<RootPair> pairs = nearlyCancelling(plant.poles, plant.zeros);
  const bool reduced = leave_->isChecked() && !pairs.empty();
  const auto kept = kept_->currentIndex() == 0 ? KeptGain::far_up : KeptGain::at_rest;
  leave_->setEnabled(!pairs.empty());
  kept_->setEnabled(reduced);
  showRoots(plant, pairs);
  gains_->setText(tr("Gain at rest %1, pure delay %2")
                      .arg(figureText(plant.at(0.0).real(), 5), tr("%1 ms").arg(figureText(1e3 * plant.delay_s, 4))));
  reduction_->setText(pairs.empty() ? tr("No pole has a zero beside it.")
                                    : QString::fromStdString(reductionSentence(plant, pairs, kept)));
  auto curves = std::make_shared<ResponseCurves>();
  const Plant left = without(plant, pairs, kept);
  for (const double hz : linesFor(plant, to_hz_)) {
    const std::complex<double> s(0.0, kTwoPi * hz);
    ResponseLine line;
    line.frequency_hz = hz;
    line.h1 = line.h2 = plant.at(s);
    line.coherence = 1.0;
    curves->measured.lines.push_back(line);
    if (reduced) curves->model.push_back(left.at(s));
  }
  for (std::size_t p = 0; p < plots_.size(); ++p) {
    plots_[p]->setCurves(curves);
    panels_[p]->updateReading();
  }
}

void PlantPage::showRoots(const Plant& plant, const std::vector<RootPair>& pairs) {
  roots_->clear();
  const auto group = [&](const QString& title, const std::vector<std::complex<double>>& roots,
                         const QString& on_right) {
    auto* head = new QTreeWidgetItem(roots_, {roots.empty() ? tr("%1: none").arg(title) : title});
    head->setFont(0, figureFont(0.9, true));
    head->setSizeHint(0, {0, kRoot_px});
    head->setFirstColumnSpanned(true);
    for (const std::complex<double>& root : roots) {
      if (root.imag() < 0.0) continue;  // told with its partner
      const double size = std::abs(root);
      QString text = figureText(root.real(), 5);
      if (root.imag() > 0.0) text += QStringLiteral(" ± %1i").arg(figureText(root.imag(), 5));
      auto* item = new QTreeWidgetItem(
          head, {text, figureText(size / kTwoPi, 4),
                 size > 0.0 ? figureText(-100.0 * root.real() / size) + QStringLiteral(" %") : QString()});
      item->setSizeHint(0, {0, kRoot_px});
      for (int column : {1, 2}) item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
      const bool beside =
          std::ranges::any_of(pairs, [&](const RootPair& pair) { return pair.pole == root || pair.zero == root; });
      if (beside) {
        QFont slanted = figureFont(0.9);
        slanted.setItalic(true);
        for (int column : {0, 1, 2}) item->setFont(column, slanted);
        item->setToolTip(0, tr("A pole and a zero that nearly cancel"));
      }
      if (root.real() >= 0.0) item->setToolTip(0, on_right);
    }
    head->setExpanded(true);
  };
  group(tr("Poles"), plant.poles, tr("It does not die out"));
  group(tr("Zeros"), plant.zeros, tr("The plant cannot be inverted as it is"));
}

void PlantPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  consider();
}

void PlantPage::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange && !plants_.empty()) showPlant();
}

}  // namespace hyb::ui
