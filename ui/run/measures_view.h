#pragma once
#include <QFrame>
#include <QTimer>
#include <memory>
#include <span>
#include <vector>

#include "core/assess/measures.h"
#include "ui/base/latest_task.h"
#include "ui/base/widgets.h"

class QComboBox;
class QLabel;
class QTreeWidget;

namespace hyb::ui {

/// The measures of fidelity over the last seconds of the test that runs, twice a second, each with what it can tell and
/// what it cannot. Computed off the window's thread, and only while it is seen.
class MeasuresView : public Panel {
  Q_OBJECT
 public:
  explicit MeasuresView(QWidget* parent = nullptr);
  ~MeasuresView() override;
  /// A test that has just been armed.
  void attach(const Project& project, const RowLayout& layout);
  /// Rows of the display, in the order of their ticks.
  void push(std::span<const double> rows);
  /// As before the first test.
  void clear();
  /// Reads once more; what is shown stays.
  void detach();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void start();
  void read();
  void show(const std::vector<MeasureReading>& readings, const CountedRows& counted);
  void explain();

  std::unique_ptr<RowLayout> layout_;
  MeasureContext context_;
  std::unique_ptr<MeasureWindow> window_;
  bool stale_ = false;  // rows have come since the last reading
  QComboBox* length_;
  QTreeWidget* tree_;
  QLabel *state_, *says_, *cannot_;
  QTimer timer_;
  LatestTask preparing_, reading_;  // last: their workers end before what they use
};

}  // namespace hyb::ui
