#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <optional>
#include <string>
#include <vector>

#include "core/assess/preflight.h"
#include "ui/base/latest_task.h"

namespace hyb::ui {

/// Where the rig of an armed test stands.
std::vector<AxisReading> readingsOf(const LoopStatus& status);

/// Makes the list before a test for a project; the stability of its loop is computed in the background.
class PreflightSource : public QObject {
  Q_OBJECT
 public:
  explicit PreflightSource(QObject* parent = nullptr) : QObject(parent) {}
  void setProject(const Project& project);
  /// `file`: where the run is recorded; empty: not. `realtime`: known once armed. Empty without a project.
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
  // The disk is looked at rarely: a folder on the network may keep the window waiting.
  mutable std::string disk_of_;
  mutable double free_bytes_ = -1.0;  // below 0: not known
  mutable QElapsedTimer disk_age_;
  LatestTask task_;
};

}  // namespace hyb::ui
