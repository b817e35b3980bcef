#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "core/stability/interface_sweep.h"
#include "ui/plot/plot_view.h"

class QwtPlotCurve;
class QwtPlotMarker;

namespace hyb::ui {

/// Data of the map "Where may I cut?".
struct CutMapData {
  std::vector<CutPoint> points;  // ascending positions
  QString axis_title;            // "cut at x (m)"
  bool counted = false;          // positions are masses or storeys, not metres
  double max_delay_s = 0.0;      // longest analysed delay
};

/// Critical delay over the location of the cut, with the present cut as a draggable line and the loop's own delay as a
/// horizontal line. Above the curve the test is unstable. The right axis can show the clamped-interface frequencies of
/// both sides.
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
  /// Data of a cut at this position; null without data.
  const CutPoint* pointAt(double position_m) const;
  /// "critical 6.48 ms at 14.4 Hz", or the reason why no cut is possible there.
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
