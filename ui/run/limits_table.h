#pragma once
#include <QTableWidget>
#include <vector>

#include "core/loop/safety.h"
#include "core/run/test_run.h"

namespace hyb::ui {

/// Limits of the test, each with a bar of its live value against the threshold and the largest value since Arm. A limit
/// that was hit stays marked. The limit that ended the test shows the value at which it tripped.
class LimitsTable : public QTableWidget {
  Q_OBJECT
 public:
  explicit LimitsTable(QWidget* parent = nullptr);
  /// Shows the limits of a project that is not armed yet.
  void setLimits(const std::vector<Limit>& limits);
  /// Clears the marks after a test has been armed.
  void begin();
  /// Shows live values; call at 5 Hz. The last values stay in view after the last call. `deciding`: as in LoopStatus.
  void update(const SafetyChain& safety, bool armed, int deciding = -1);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void showRow(int row, const Limit& limit, double value, double peak, double threshold, bool active, bool latched,
               bool armed);
  void recolour();

  int tripped_ = -1;  // the limit that ended the test
  double tripped_at_ = 0.0;
};

}  // namespace hyb::ui
