#include "ui/run/preflight_source.h"

#include <QFileInfo>
#include <QStorageInfo>
#include <chrono>

#include "core/run/stability_report.h"

namespace hyb::ui {

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

std::vector<PreflightItem> PreflightSource::items(const std::string& file, std::size_t row_bytes,
                                                  const std::string& realtime, const LinkFigures* link) const {
  if (!project_) return {};
  const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  PreflightInput input{*project_, std::chrono::year_month_day(today)};
  input.stability = stability_ ? &*stability_ : nullptr;
  input.realtime = realtime;
  input.link = link;
  if (!file.empty()) {
    const QStorageInfo storage(QFileInfo(QString::fromStdString(file)).absolutePath());
    if (storage.isValid()) input.free_bytes = static_cast<double>(storage.bytesAvailable());
    if (project_->loop.duration_s > 0.0)
      input.needed_bytes = static_cast<double>(row_bytes) * project_->loop.rate_hz * project_->loop.duration_s;
  }
  return preflight(input);
}

}  // namespace hyb::ui
