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

/// Fidelity measures over the last seconds of the running test, updated twice a second, each with its meaning and its
/// limits. Computed on a worker thread, and only while the page is visible.
class MeasuresView : public Panel {
  Q_OBJECT
 public:
  explicit MeasuresView(QWidget* parent = nullptr);
  ~MeasuresView() override;
  /// A test that has just been armed.
  void attach(const Project& project, const RowLayout& layout);
  /// Rows of the display, in the order of their ticks.
  void push(std::span<const double> rows);
  /// Clears the view.
  void clear();
  /// Reads the measures once more and keeps them in view.
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
  bool stale_ = false;  // rows have arrived since the last reading
  QComboBox* length_;
  QTreeWidget* tree_;
  QLabel *state_, *says_, *cannot_;
  QTimer timer_;
  LatestTask preparing_, reading_;  // last member: workers end before the data they use
};

}  // namespace hyb::ui
