#pragma once
#include <QTableWidget>
#include <vector>

#include "core/loop/safety.h"
#include "core/run/test_run.h"

namespace hyb::ui {

/// Limits of the test with their live value as a bar against the threshold and the largest value since Arm. A row that
/// was hit stays marked after the value has returned; the one that ended the test says so, with the value at which it
/// did.
class LimitsTable : public QTableWidget {
  Q_OBJECT
 public:
  explicit LimitsTable(QWidget* parent = nullptr);
  /// Limits of a project that is not armed yet.
  void setLimits(const std::vector<Limit>& limits);
  /// Forgets what was hit: a test has been armed.
  void begin();
  /// Live values; call at 5 Hz. What was shown last stays when this is no longer called. `deciding`: as of LoopStatus.
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
