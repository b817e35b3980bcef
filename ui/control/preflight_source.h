#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <optional>
#include <string>
#include <vector>

#include "core/assess/preflight.h"
#include "ui/base/latest_task.h"

namespace hyb::ui {

/// Positions of the rig of an armed test.
std::vector<AxisReading> readingsOf(const LoopStatus& status);

/// Makes the pre-flight list of a project; computes the stability of its loop in the background.
class PreflightSource : public QObject {
  Q_OBJECT
 public:
  explicit PreflightSource(QObject* parent = nullptr) : QObject(parent) {}
  void setProject(const Project& project);
  /// `file`: recording of the run; empty: not recorded. `realtime`: known once armed. The list is empty without a
  /// project.
  std::vector<PreflightItem> items(const std::string& file, std::size_t row_bytes, const RealtimeOutcome& realtime,
                                   const LinkFigures* link, const std::vector<AxisReading>& readings = {}) const;
  /// learningReport(), once it is known.
  Json learning() const;

 Q_SIGNALS:
  void changed();

 private:
  std::optional<Project> project_;
  double freeBytes(const std::string& file) const;

  std::optional<Json> stability_;
  // Checks the disk rarely: a network folder may block the window.
  mutable std::string disk_of_;
  mutable double free_bytes_ = -1.0;  // below 0: unknown
  mutable QElapsedTimer disk_age_;
  LatestTask task_;
};

}  // namespace hyb::ui
