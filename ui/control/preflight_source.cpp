#include "ui/control/preflight_source.h"

#include <QFileInfo>
#include <QStorageInfo>
#include <QTimer>
#include <chrono>
#include <memory>
#include <mutex>

#include "core/assess/stability_report.h"

namespace hyb::ui {
namespace {

constexpr int kDiskAge_ms = 15'000;

/// Stability of one project's loop, computed at the first request.
class StabilityOf {
 public:
  explicit StabilityOf(const Project& project) : project_(project) {}
  bool isOf(const Project& other) const {
    return project_.document == other.document && project_.folder == other.folder;
  }
  const std::optional<Json>& report() {
    std::call_once(once_, [this] {
      try {
        report_ = stabilityReport(project_);
      } catch (const std::exception&) {
        // Stays unknown, and the list shows that.
      }
    });
    return report_;
  }

 private:
  Project project_;
  std::once_flag once_;
  std::optional<Json> report_;
};

/// Several pages have a list and get a project by the same signal, so they share its computed stability. The cache
/// lasts no longer, because files of a project may change. For use from the GUI thread.
std::shared_ptr<StabilityOf> stabilityOf(const Project& project) {
  static std::shared_ptr<StabilityOf> asked;
  if (!asked) QTimer::singleShot(0, [] { asked.reset(); });
  if (!asked || !asked->isOf(project)) asked = std::make_shared<StabilityOf>(project);
  return asked;
}

}  // namespace

std::vector<AxisReading> readingsOf(const LoopStatus& status) {
  std::vector<AxisReading> readings;
  for (const AxisStanding& axis : status.standing)
    readings.push_back({axis.motion.load(std::memory_order_relaxed), axis.force.load(std::memory_order_relaxed)});
  return readings;
}

void PreflightSource::setProject(const Project& project) {
  project_ = project;
  stability_.reset();
  Q_EMIT changed();
  task_.submit([this, stability = stabilityOf(project)]() -> LatestTask::Deliver {
    return [this, found = stability->report()] {
      stability_ = found;
      Q_EMIT changed();
    };
  });
}

Json PreflightSource::learning() const {
  return stability_ ? stability_->value("learning", Json::array()) : Json::array();
}

double PreflightSource::freeBytes(const std::string& file) const {
  if (file == disk_of_ && disk_age_.isValid() && !disk_age_.hasExpired(kDiskAge_ms)) return free_bytes_;
  const QStorageInfo storage(QFileInfo(QString::fromStdString(file)).absolutePath());
  disk_of_ = file;
  free_bytes_ = storage.isValid() ? static_cast<double>(storage.bytesAvailable()) : -1.0;
  disk_age_.start();
  return free_bytes_;
}

std::vector<PreflightItem> PreflightSource::items(const std::string& file, std::size_t row_bytes,
                                                  const RealtimeOutcome& realtime, const LinkFigures* link,
                                                  const std::vector<AxisReading>& readings) const {
  if (!project_) return {};
  const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  PreflightInput input{*project_, std::chrono::year_month_day(today)};
  input.stability = stability_ ? &*stability_ : nullptr;
  input.realtime = realtime;
  input.link = link;
  input.readings = readings;
  if (!file.empty()) {
    if (const double bytes = freeBytes(file); bytes >= 0.0) input.free_bytes = bytes;
    if (project_->loop.duration_s > 0.0)
      input.needed_bytes = static_cast<double>(row_bytes) * project_->loop.rate_hz * project_->loop.duration_s;
  }
  return preflight(input);
}

}  // namespace hyb::ui
