#pragma once
#include <QWidget>
#include <memory>
#include <vector>

#include "ui/plot/time_view.h"

class QComboBox;

namespace hyb::ui {

class PlotPanel;
class PlotView;
class TimePlot;

/// Power and energy at an interface: power into the specimen and power fed in by the transfer system, the damping
/// injected by passivity control, and the energies; times with active damping are shaded.
class PowerView : public QWidget {
  Q_OBJECT
 public:
  /// `view` must outlive it.
  explicit PowerView(TimeView* view, QWidget* parent = nullptr);
  ~PowerView() override;
  /// Sets a test with this row layout, without rows.
  void setRows(const RowLayout& layout);
  /// Rows of the test, and of a second run, dashed.
  void setRun(const std::shared_ptr<const RunHistory>& run, const std::shared_ptr<const RunHistory>& second = nullptr);
  void refresh();

 private:
  void showRows(const RowLayout& layout);
  void showInterface();
  PlotPanel* addPanel(PlotView* plot);

  TimeView* view_;
  std::unique_ptr<RowLayout> layout_;
  std::vector<PlotPanel*> panels_;
  TimePlot *power_, *damping_, *energy_;
  PlotPanel* damping_panel_;
  QComboBox* interface_;
  std::size_t acts_ = RunHistory::kNoValue;  // column of the damping
};

}  // namespace hyb::ui
