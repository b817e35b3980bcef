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

#include "core/base/numbers.h"
#include "ui/base/widgets.h"
#include "ui/document/field_editors.h"
#include "ui/plot/plot_panel.h"
#include "ui/plot/quantity_text.h"
#include "ui/plot/response_plot.h"

namespace hyb::ui {
namespace {

constexpr int kColumn_px = 400, kRoot_px = 20;

/// Logarithmic frequencies, denser around each resonance.
std::vector<double> linesFor(const Plant& plant, const PlantRange& range) {
  constexpr int kLines = 300;
  std::vector<double> lines;
  for (int k = 0; k <= kLines; ++k)
    lines.push_back(range.from_hz * std::pow(range.to_hz / range.from_hz, k / double(kLines)));
  for (const auto* roots : {&plant.poles, &plant.zeros})
    for (const std::complex<double>& root : *roots)
      for (int k = -6; k <= 6; ++k) {
        const double hz = (std::abs(root.imag()) + 0.5 * k * std::abs(root.real())) / kTwoPi;
        if (root.imag() != 0.0 && hz > range.from_hz && hz < range.to_hz) lines.push_back(hz);
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
      leave_(new QCheckBox(tr("Reduced model"))),
      roots_(new QTreeWidget),
      gains_(new QLabel),
      reduction_(new QLabel) {
  setAccessibleName(tr("Plant"));
  setObjectName(QStringLiteral("plant-page"));
  const QString names[] = {tr("Magnitude"), tr("Phase"), tr("Delay")};
  constexpr ResponsePlot::Shows kShows[] = {ResponsePlot::Shows::magnitude, ResponsePlot::Shows::phase,
                                            ResponsePlot::Shows::delay};
  constexpr const char* kObjects[] = {"plant-magnitude", "plant-phase", "plant-delay"};
  auto* plots = new Splitter(Qt::Vertical);
  plots->setChildrenCollapsible(false);
  for (std::size_t p = 0; p < plots_.size(); ++p) {
    plots_[p] = new ResponsePlot(names[p], kShows[p], ResponsePlot::Over::decades, {tr("plant"), tr("reduced")});
    plots_[p]->setObjectName(QLatin1String(kObjects[p]));
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

PlantPage::~PlantPage() { stop(); }

QWidget* PlantPage::makeColumn() {
  auto* panel = new Panel;
  panel->setFixedWidth(kColumn_px);
  auto* title = new QLabel(tr("Plant of the twin"));
  title->setFont(figureFont(1.0, true));
  auto* says = new QLabel(tr("Response of an actuator with the specimen attached, for small motions."));
  says->setWordWrap(true);
  says->setProperty("muted", true);
  actuators_->setObjectName(QStringLiteral("plant-actuator"));
  actuators_->setAccessibleName(tr("Actuator"));
  actuators_->setToolTip(tr("Axis that moves, and actuator whose command it follows"));
  roots_->setObjectName(QStringLiteral("plant-roots"));
  roots_->setAccessibleName(tr("Poles and zeros"));
  roots_->setHeaderLabels({tr("1/s"), tr("Hz"), tr("damping"), QString()});
  roots_->setIndentation(8);
  roots_->setRootIsDecorated(false);
  roots_->setUniformRowHeights(true);
  roots_->setFrameShape(QFrame::NoFrame);
  roots_->setFont(figureFont(0.9));
  roots_->header()->setStretchLastSection(false);
  roots_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  for (int column : {1, 2, 3}) roots_->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  gains_->setObjectName(QStringLiteral("plant-gains"));
  leave_->setObjectName(QStringLiteral("plant-reduce"));
  leave_->setToolTip(tr("Adds the response without the poles and zeros that nearly cancel"));
  kept_->setObjectName(QStringLiteral("plant-kept"));
  kept_->setAccessibleName(tr("Gain to keep"));
  kept_->addItem(tr("keep high frequencies"));
  kept_->addItem(tr("keep gain at rest"));
  kept_->setToolTip(
      tr("Gain of the reduced model. High frequencies: the removed roots change the gain of slow motion. Gain at rest: "
         "slow motion stays correct."));
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
  stop();
  project_ = project;
  due_ = project_.has_value();
  if (!due_) take({}, {}, {});
  consider();
}

void PlantPage::setTestActive(bool active) {
  test_active_ = active;
  if (active && computing()) {
    stop();
    due_ = true;
    take({}, {}, tr("Computed after the end of the test."));
  }
  consider();
}

void PlantPage::consider() {
  if (!due_ || test_active_ || !isVisible()) return;
  due_ = false;
  wanted_ = std::make_shared<std::atomic<bool>>(true);
  if (plants_.empty()) take({}, {}, tr("Computing poles and zeros..."));
  task_.submit([this, project = *project_, wanted = wanted_]() -> LatestTask::Deliver {
    std::vector<Plant> plants;
    PlantRange range{};
    QString failed;
    try {
      range = plantRange(project);
      plants = plantsOf(project, [wanted] { return wanted->load(); });
    } catch (const InputError& error) {
      for (const Issue& issue : error.issues())
        failed += QStringLiteral("\n") + QString::fromStdString(issue.where + " " + issue.message);
    } catch (const std::exception& error) {
      failed = QStringLiteral("\n") + QString::fromUtf8(error.what());
    }
    return [this, wanted, plants = std::move(plants), range, failed] {
      if (wanted != wanted_) return;
      wanted_.reset();
      take(plants, range, failed.isEmpty() ? QString() : tr("The plant cannot be computed.") + failed);
    };
  });
}

void PlantPage::stop() {
  if (!wanted_) return;
  wanted_->store(false);
  wanted_.reset();
  task_.cancel();
}

/// `instead`: text shown without a result.
void PlantPage::take(std::vector<Plant> plants, const PlantRange& range, const QString& instead) {
  plants_ = std::move(plants);
  range_ = range;
  plots_[0]->setEmptyText(instead.isEmpty() ? tr("Actuator frequency response.") : instead);
  QStringList names, shown;
  for (const Plant& plant : plants_) names << QString::fromStdString(plant.name());
  for (int i = 0; i < actuators_->count(); ++i) shown << actuators_->itemText(i);
  if (names != shown && !names.isEmpty()) {
    const QSignalBlocker quiet(actuators_);
    actuators_->clear();
    actuators_->addItems(names);
  }
  actuators_->setVisible(names.size() > 1);
  showPlant();
}

void PlantPage::showPlant() {
  const auto at = static_cast<std::size_t>(std::max(0, actuators_->currentIndex()));
  auto curves = std::make_shared<ResponseCurves>();
  if (at >= plants_.size()) {
    roots_->clear();
    gains_->clear();
    reduction_->clear();
    for (QWidget* widget : std::initializer_list<QWidget*>{leave_, kept_}) widget->setEnabled(false);
    return draw(std::move(curves));
  }
  const Plant& plant = plants_[at];
  const std::vector<RootPair> pairs = nearlyCancelling(plant.poles, plant.zeros);
  const auto kept = kept_->currentIndex() == 0 ? KeptGain::at_high_frequencies : KeptGain::at_rest;
  for (QWidget* widget : std::initializer_list<QWidget*>{leave_, kept_}) widget->setEnabled(!pairs.empty());
  showRoots(plant, pairs);
  const std::optional<double> rest = plant.gainAtRest();
  const QString unit = QString::fromStdString(plant.unit);
  gains_->setText(tr("%1, pure delay %2 ms")
                      .arg(rest ? tr("Gain at rest %1 %2").arg(figureText(*rest, 5), unit).trimmed()
                                : tr("No gain at rest: it does not settle at a constant command"),
                           figureText(1e3 * plant.delay_s, 4)) +
                  (project_ && !project_->twin.laws.empty() ? tr("\nThe specimen's laws are left out.") : QString()));
  reduction_->setText(pairs.empty() ? tr("No pole has a zero close to it.")
                                    : QString::fromStdString(reductionSentence(plant, pairs, kept)));
  const bool reduced = leave_->isChecked() && !pairs.empty();
  const Plant left = without(plant, pairs, kept);
  curves->unit = unit;
  for (const double hz : linesFor(plant, range_)) {
    const double w = kTwoPi * hz;
    ResponseLine line;
    line.frequency_hz = hz;
    line.h1 = line.h2 = plant.at({0.0, w});
    line.coherence = 1.0;
    curves->measured.lines.push_back(line);
    curves->phase.push_back(plant.phase(w));
    if (!reduced) continue;
    curves->model.push_back(left.at({0.0, w}));
    curves->model_phase.push_back(left.phase(w));
  }
  draw(std::move(curves));
}

void PlantPage::draw(const std::shared_ptr<const ResponseCurves>& curves) {
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
      if (root.imag() < 0.0) continue;  // shown with its conjugate
      const double size = std::abs(root);
      QString text = figureText(root.real(), 5);
      if (root.imag() > 0.0) text += QStringLiteral(" ± %1i").arg(figureText(root.imag(), 5));
      auto* item = new QTreeWidgetItem(
          head, {text, figureText(size / kTwoPi, 4),
                 size > 0.0 ? figureText(-100.0 * root.real() / size + 0.0) + QStringLiteral(" %") : QString()});
      item->setSizeHint(0, {0, kRoot_px});
      for (int column : {1, 2}) item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
      const bool beside =
          std::ranges::any_of(pairs, [&](const RootPair& pair) { return pair.pole == root || pair.zero == root; });
      item->setText(3, root.real() >= 0.0 ? on_right : beside ? tr("nearly cancels") : QString());
      if (beside) {
        QFont slanted = figureFont(0.9);
        slanted.setItalic(true);
        for (int column : {0, 1, 2, 3}) item->setFont(column, slanted);
      }
    }
    head->setExpanded(true);
  };
  group(tr("Poles"), plant.poles, tr("does not decay"));
  group(tr("Zeros"), plant.zeros, tr("no inverse"));
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
