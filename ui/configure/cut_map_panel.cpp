#include "ui/configure/cut_map_panel.h"

#include <QProgressBar>
#include <QPushButton>
#include <QThread>
#include <QVBoxLayout>
#include <algorithm>

#include "core/assess/loop_analysis.h"
#include "ui/document/project_document.h"
#include "ui/plot/plot_panel.h"

namespace hyb::ui {
namespace {

constexpr std::size_t kMostPlaces = 240;
constexpr std::size_t kFirstPass = 12;  // few places that show the shape of the curve early

/// Indices 0..n-1 in passes: first a coarse pass, then the places between.
std::vector<std::vector<std::size_t>> passes(std::size_t n) {
  std::size_t stride = 1;
  while (n / stride > kFirstPass) stride *= 2;
  std::vector<std::vector<std::size_t>> all;
  std::vector<bool> taken(n);
  for (; stride > 0; stride /= 2) {
    std::vector<std::size_t> pass;
    for (std::size_t i = 0; i < n; i += stride)
      if (!taken[i]) {
        taken[i] = true;
        pass.push_back(i);
      }
    if (!pass.empty()) all.push_back(std::move(pass));
  }
  return all;
}

std::vector<double> thinned(const std::vector<double>& places) {
  if (places.size() <= kMostPlaces) return places;
  std::vector<double> kept;
  for (std::size_t i = 0; i < kMostPlaces; ++i) kept.push_back(places[i * (places.size() - 1) / (kMostPlaces - 1)]);
  return kept;
}

}  // namespace

CutMapPanel::CutMapPanel(ProjectDocument* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      map_(new CutMap(tr("Where may I cut?"))),
      panel_(new PlotPanel(map_)),
      progress_(new QProgressBar),
      button_(new QPushButton) {
  progress_->setFixedSize(72, 8);
  progress_->setTextVisible(false);
  progress_->setAccessibleName(tr("Progress of the map"));
  button_->setObjectName(QStringLiteral("map-button"));
  button_->setFocusPolicy(Qt::TabFocus);
  panel_->addControl(progress_);
  panel_->addControl(button_);
  map_->setObjectName(QStringLiteral("cut-map"));
  map_->setToolTip({});
  auto* box = new QVBoxLayout(this);
  box->setContentsMargins(0, 0, 0, 0);
  box->addWidget(panel_);
  connect(button_, &QPushButton::clicked, this, [this] {
    if (computing()) return cancel();
    cancelled_key_.clear();
    key_.clear();
    consider();
  });
  connect(map_, &CutMap::cutMoved, this, [this](double position_m) {
    document_->moveCut(position_m);
    document_->checkNow();
  });
  connect(map_, &CutMap::cutReleased, document, &ProjectDocument::endEdit);
  connect(document, &ProjectDocument::checked, this, &CutMapPanel::consider);
  updateControls();
}

CutMapPanel::~CutMapPanel() { stop(); }

void CutMapPanel::setScene(const StructureScene& scene) {
  scene_ = scene;
  const std::optional<CutLine> line = scene.presentLine();
  const bool movable = editing_ && scene.line.has_value();
  map_->setCut(line ? std::optional(line->position_m) : std::nullopt,
               line ? scene.places(line->along_y) : std::vector<double>(), movable);
  panel_->updateReading();
  consider();
}

void CutMapPanel::setFigures(const DelayFigures* figures) {
  // A loop that another program closes has no place on this map.
  const bool known =
      figures && figures->failed.isEmpty() && !figures->led && figures->delay.latest().remaining_s() > 0.0;
  map_->setLoopDelay(known ? std::optional(figures->delay.latest().remaining_s()) : std::nullopt);
}

void CutMapPanel::setEditing(bool on) {
  if (editing_ == on) return;
  editing_ = on;
  if (!on) {
    if (computing()) key_.clear();  // restarts afterwards
    stop();
  }
  setScene(StructureScene(scene_));
  updateControls();
}

std::optional<CutMapPanel::MapRequest> CutMapPanel::wanted() const {
  if (!scene_.drawable()) return {};
  CutByPosition like;
  const std::optional<CutLine> line = scene_.presentLine();
  like.along_y = line ? line->along_y : scene_.places_x.empty();
  const std::vector<double>& places = scene_.places(like.along_y);
  if (places.empty()) return {};
  const Json *side = document_->at("/partition/physical_side"), *rate = document_->at("/loop/rate_hz");
  const Json* structure = document_->at("/structure");
  like.physical_beyond = !side || *side != "before";
  const Json* cutoff = document_->at("/analysis/stability_cutoff_hz");
  MapRequest wanted{{}, like, thinned(places), rate && rate->is_number() ? rate->get<double>() : 1000.0, {}};
  if (cutoff && cutoff->is_number()) wanted.cutoff_hz = cutoff->get<double>();
  wanted.key = structure->dump() + (like.along_y ? "y" : "x") + (like.physical_beyond ? "+" : "-") +
               std::to_string(wanted.rate_hz) + " " + std::to_string(wanted.cutoff_hz.value_or(0.0));
  return wanted;
}

void CutMapPanel::consider() {
  const std::optional<MapRequest> now = wanted();
  if (!now) {
    stop();
    key_.clear();
    map_->setData({});
    map_->setEmptyText(scene_.model ? tr("The map needs a structure with elements between its ends.")
                                    : tr("The map appears as soon as section Structure has no errors."));
    return updateControls();
  }
  // After an edit of the structure, the new model arrives a moment later.
  if (now->key == key_ || document_->checking() || !isVisible() || !editing_) return;
  if (now->key == cancelled_key_) return updateControls();
  start(*now);
}

void CutMapPanel::start(const MapRequest& wanted) {
  stop();
  key_ = wanted.key;
  cancelled_key_.clear();
  job_ = std::make_shared<Job>();
  CutMapData fresh;
  fresh.counted = !scene_.metric();
  fresh.axis_title = scene_.kind == StructureScene::Kind::shear_building ? tr("cut at storey")
                     : scene_.kind == StructureScene::Kind::lumped       ? tr("cut at mass, from 0")
                     : wanted.like.along_y                               ? tr("cut at y (m)")
                                                                         : tr("cut at x (m)");
  map_->setData(fresh);
  map_->setEmptyText(tr("Computing the critical delay of every cut..."));
  progress_->setRange(0, static_cast<int>(wanted.places_m.size()));
  progress_->setValue(0);
  updateControls();

  task_.submit([this, job = job_, model = scene_.model, wanted, fresh]() -> LatestTask::Deliver {
    CutMapData map = fresh;
    QString failed;
    const auto tell = [this, job](auto&& what) {
      QMetaObject::invokeMethod(
          this,
          [this, job, what] {
            if (job_ == job) what();
          },
          Qt::QueuedConnection);
    };
    try {
      const StabilityRange range = stabilityRange(assemble(*model), wanted.rate_hz, wanted.cutoff_hz);
      map.max_delay_s = range.max_delay_s;
      const int threads = std::max(1, QThread::idealThreadCount() - 1);  // one stays for the window
      std::size_t done = 0;
      for (const std::vector<std::size_t>& pass : passes(wanted.places_m.size())) {
        std::vector<double> places;
        for (const std::size_t i : pass) places.push_back(wanted.places_m[i]);
        std::vector<CutPoint> found =
            sweepInterface(*model, wanted.like, places, range.cutoff_hz, range.max_delay_s, threads,
                           [&](std::size_t part, std::size_t) {
                             tell([this, all = static_cast<int>(done + part)] { progress_->setValue(all); });
                             return !job->stop;
                           });
        if (job->stop) break;
        done += pass.size();
        map.points.insert(map.points.end(), found.begin(), found.end());
        std::sort(map.points.begin(), map.points.end(),
                  [](const CutPoint& a, const CutPoint& b) { return a.position_m < b.position_m; });
        tell([this, map] {
          map_->setData(map);
          panel_->updateReading();
          Q_EMIT progressed();
        });
      }
    } catch (const std::exception& error) {
      failed = QString::fromUtf8(error.what());
    }
    return [this, job, failed] {
      if (job_ != job) return;
      job_ = nullptr;
      if (!failed.isEmpty()) map_->setEmptyText(tr("The map cannot be computed: %1").arg(failed));
      updateControls();
      Q_EMIT finished();
    };
  });
}

void CutMapPanel::stop() {
  if (!job_) return;
  job_->stop = true;
  job_ = nullptr;
  task_.cancel();
}

void CutMapPanel::cancel() {
  cancelled_key_ = key_;
  key_.clear();
  stop();
  map_->setEmptyText(tr("The map was cancelled. Press Compute to restart it."));
  updateControls();
}

void CutMapPanel::updateControls() {
  progress_->setVisible(computing());
  button_->setText(computing() ? tr("Cancel") : tr("Compute"));
  button_->setToolTip(computing() ? tr("Cancels the map") : tr("Computes the map"));
  button_->setVisible(computing() || (!cancelled_key_.empty() && editing_));
}

void CutMapPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  consider();
}

void CutMapPanel::hideEvent(QHideEvent* event) {
  if (computing()) key_.clear();  // restarts when the page is visible
  stop();
  updateControls();
  QWidget::hideEvent(event);
}

}  // namespace hyb::ui
