#pragma once
#include <QObject>
#include <optional>
#include <string>
#include <vector>

#include "core/run/preflight.h"
#include "ui/configure/latest_task.h"

namespace hyb::ui {

/// Makes the list before a test for a project; the stability of its loop is computed in the background.
class PreflightSource : public QObject {
  Q_OBJECT
 public:
  explicit PreflightSource(QObject* parent = nullptr) : QObject(parent) {}
  void setProject(const Project& project);
  /// `file`: where the run is recorded; empty: not. `realtime`: known once armed. Empty without a project.
  std::vector<PreflightItem> items(const std::string& file, std::size_t row_bytes, const std::string& realtime,
                                   const LinkFigures* link) const;

 Q_SIGNALS:
  void changed();

 private:
  std::optional<Project> project_;
  std::optional<Json> stability_;
  LatestTask task_;
};

}  // namespace hyb::ui
