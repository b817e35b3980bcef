#include "ui/control/preflight_source.h"

#include <QFileInfo>
#include <QStorageInfo>
#include <chrono>

#include "core/assess/stability_report.h"

namespace hyb::ui {
namespace {

constexpr int kDiskAge_ms = 15'000;

}  // namespace

void PreflightSource::setProject(const Project& project) {
  project_ = project;
  stability_.reset();
  Q_EMIT changed();
  task_.submit([this, project]() -> LatestTask::Deliver {
    std::optional<Json> found;
    try {
      found = stabilityReport(project);
    } catch (const std::exception&) {
      // Stays unknown: the list says so.
    }
    return [this, found] {
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
                                                  const RealtimeOutcome& realtime, const LinkFigures* link) const {
  if (!project_) return {};
  const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  PreflightInput input{*project_, std::chrono::year_month_day(today)};
  input.stability = stability_ ? &*stability_ : nullptr;
  input.realtime = realtime;
  input.link = link;
  if (!file.empty()) {
    if (const double bytes = freeBytes(file); bytes >= 0.0) input.free_bytes = bytes;
    if (project_->loop.duration_s > 0.0)
      input.needed_bytes = static_cast<double>(row_bytes) * project_->loop.rate_hz * project_->loop.duration_s;
  }
  return preflight(input);
}

}  // namespace hyb::ui
