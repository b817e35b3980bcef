#pragma once
#include <QScrollArea>
#include <vector>

#include "core/base/json_fwd.h"
#include "core/compensation/compensator.h"

namespace hyb::ui {

class TunedField;

/// Parameters that may be changed while the test runs, each with unit, bounds and description.
class TuningPanel : public QScrollArea {
  Q_OBJECT
 public:
  explicit TuningPanel(QWidget* parent = nullptr);
  /// `project`: its schema describes each parameter.
  void setTunables(const std::vector<Tunable>& tunables, const Json& project);
  /// Locked: values are read-only.
  void setLocked(bool locked);
  /// Restores a value after a refusal, without a new request.
  void setValue(std::size_t index, double value);

 Q_SIGNALS:
  /// Emitted on Enter only. The focus then leaves the field.
  void tuned(std::size_t index, double value);

 private:
  std::vector<TunedField*> fields_;
  bool locked_ = true;
};

}  // namespace hyb::ui
