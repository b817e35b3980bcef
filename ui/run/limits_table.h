#pragma once
#include <QTableWidget>
#include <vector>

#include "core/loop/safety.h"
#include "core/run/test_run.h"

namespace hyb::ui {

/// Limits of the test with their live value as a bar against the threshold. A row that was hit stays marked after the
/// value has returned.
class LimitsTable : public QTableWidget {
  Q_OBJECT
 public:
  explicit LimitsTable(QWidget* parent = nullptr);
  /// Limits of a project that is not armed yet.
  void setLimits(const std::vector<Limit>& limits);
  /// Live values; call at 5 Hz. What was shown last stays when this is no longer called.
  void update(const SafetyChain& safety, bool armed);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void showRow(int row, const Limit& limit, double value, double peak, double threshold, bool active, bool latched,
               bool armed);
  void recolour();
};

}  // namespace hyb::ui
