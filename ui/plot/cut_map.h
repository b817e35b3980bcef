#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "core/stability/interface_sweep.h"
#include "ui/plot/plot_view.h"

class QwtPlotCurve;
class QwtPlotMarker;

namespace hyb::ui {

/// "Where may I cut?" as numbers.
struct CutMapData {
  std::vector<CutPoint> points;  // ascending positions
  QString axis_title;            // "cut at x (m)"
  bool counted = false;          // positions are masses or storeys, not metres
  double max_delay_s = 0.0;      // longest delay looked at
};

/// Critical delay over the place of the cut, with the present cut as a line that can be dragged and the loop's own
/// delay across it. Above the curve the test is unstable. Clamped-interface frequencies of both sides on the right, on
/// demand.
class CutMap : public PlotView {
  Q_OBJECT
 public:
  explicit CutMap(const QString& name, QWidget* parent = nullptr);
  ~CutMap() override;
  void setData(CutMapData data);
  const CutMapData& data() const { return data_; }
  /// The present cut; `movable`: may be dragged to one of `places_m`.
  void setCut(std::optional<double> position_m, const std::vector<double>& places_m, bool movable);
  std::optional<double> cut() const { return cut_; }
  void setLoopDelay(std::optional<double> delay_s);
  std::optional<double> loopDelay() const { return loop_s_; }
  /// What is known of a cut there; null: nothing.
  const CutPoint* pointAt(double position_m) const;
  /// "critical 6.48 ms at 14.4 Hz", or why there is no cut there.
  QString textOf(const CutPoint& point) const;

  QString reading() const override;
  QString spoken() const override;
  std::vector<LegendEntry> legendEntries() const override;
  void setEntryVisible(std::size_t entry, bool visible) override;
  ValueTable valueTable() const override;
  QString saidAt(const QPointF& canvas_px) const override;
  int cursorAt(int x_px, int reach_px) const override;
  void moveCursor(int cursor, double position_m) override;
  void cursorReleased(int cursor) override;
  void stepCursor(double way) override;

 Q_SIGNALS:
  void cutMoved(double position_m);
  void cutReleased();

 protected:
  void updateData() override;
  void applyColours() override;
  bool hasData() const override { return !data_.points.empty(); }

 private:
  template <typename Item>
  class InRuns;
  struct Items;
  void scaleDelays();
  void scaleFrequencies();
  QString tipAt(double position_m) const;

  CutMapData data_;
  std::optional<double> cut_, loop_s_;
  std::vector<double> places_m_;
  bool movable_ = false;
  bool numerical_visible_ = false, physical_visible_ = false;
  std::unique_ptr<Items> items_;
};

}  // namespace hyb::ui
