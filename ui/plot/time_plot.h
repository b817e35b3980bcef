#pragma once
#include <QElapsedTimer>
#include <memory>
#include <string>
#include <vector>

#include "ui/plot/auto_range.h"
#include "ui/plot/plot_view.h"
#include "ui/plot/quantity_text.h"
#include "ui/plot/series.h"
#include "ui/plot/time_view.h"

class QwtPlotCurve;
class QwtPlotMarker;
class QwtPlotTextLabel;
class QwtPlotZoneItem;

namespace hyb::ui {

class PhaseShade;

/// One column of the history as a curve.
struct TimeCurve {
  QString name;
  std::size_t column = 0;
  Role role = Role::measured;
  Qt::PenStyle style = Qt::SolidLine;
  bool right = false;  // on the right axis
  bool visible = true;
  QString family = {};  // adjacent curves of one family share a legend entry and are shaded from pale to dark
};

/// An event, as a flag on the time axis.
struct TimeFlag {
  double time_s = 0.0;
  Role role = Role::excitation;
  QString text;
};

/// Limits the number of flags and keeps their order: first those of role error, of these the last ones. The event that
/// ended the test is always included.
std::vector<TimeFlag> mostTelling(std::vector<TimeFlag> flags, std::size_t most = 60);

/// Columns of a run over time; linked with other plots through the TimeView. A second run is drawn dashed.
class TimePlot : public PlotView {
  Q_OBJECT
 public:
  TimePlot(const QString& name, TimeView* view, QWidget* parent = nullptr);
  ~TimePlot() override;
  /// si: unit of the columns on that axis. smallest: half of the narrowest useful range, SI.
  void setAxisUnit(bool right, std::string_view si, double smallest_half_span, const QString& title = {});
  void setCurves(std::vector<TimeCurve> curves);
  void setSource(std::shared_ptr<const RunHistory> run, std::shared_ptr<const RunHistory> second = nullptr);
  /// Draws the second run in one colour, alternating dashed and dotted, with a legend entry; otherwise it has the
  /// colours of the first run.
  void setSecondLook(const QString& name, Role role);
  /// Band -half_width .. +half_width with its value written at the edge; 0: none.
  void setBand(double half_width_si);
  /// Upper and lower edge of the first curve over windows of this length; 0: none.
  void setEnvelope(double window_s);
  void setFlags(std::vector<TimeFlag> flags);
  /// Shades the times in which this column is above 0; kNoValue: none.
  void setPhases(std::size_t column);
  const std::vector<std::pair<double, double>>& phases() const;  // as drawn, s
  void setSymmetric(bool symmetric) { symmetric_ = symmetric; }

  QString spoken() const override;
  std::vector<LegendEntry> legendEntries() const override;
  void setEntryVisible(std::size_t entry, bool visible) override;
  ValueTable valueTable() const override;
  bool hasTimeAxis() const override { return true; }
  void fit() override;
  void zoomTo(QwtAxisId axis, double from, double to) override;
  void toggleCursors() override;
  bool cursorsShown() const override { return view_->cursors().has_value(); }
  int cursorAt(int x_px, int reach_px) const override;
  void moveCursor(int cursor, double time_s) override;
  void stepCursor(double way) override;

 protected:
  void updateData() override;
  void applyColours() override;
  bool hasData() const override { return run_ && !run_->rows().empty() && !curves_.empty(); }
  const std::vector<TimeCurve>& curves() const { return curves_; }
  const RunHistory* run() const { return run_.get(); }
  const RunHistory* second() const { return second_.get(); }
  const TimeView& view() const { return *view_; }
  const DisplayUnit& unit(bool right) const { return small_unit_[right ? 1 : 0]; }
  /// Shown rows of a run.
  std::pair<std::uint64_t, std::uint64_t> shownRows(const RunHistory& run) const;

 private:
  struct Item {
    QwtPlotCurve* curve;
    EnvelopeSeries* series;
  };
  std::size_t familyEnd(std::size_t curve) const;  // index after the last curve of its family
  Item makeItem(EnvelopeSeries::Part part, double z);
  void rebuildItems();
  void updateItem(Item& item, const TimeCurve& spec, const RunHistory* run, std::array<Extremes, 2>& extremes);
  void updateCursors();
  void updatePhases();
  void styleValueAxis(bool right);

  TimeView* view_;
  std::shared_ptr<const RunHistory> run_, second_;
  std::vector<TimeCurve> curves_;
  std::vector<Item> items_, second_items_, envelope_;
  std::array<DisplayUnit, 2> small_unit_, unit_;  ///< for small values; present unit of the axis
  std::array<QString, 2> axis_title_;
  std::array<AutoRange, 2> range_;
  QElapsedTimer clock_;
  double band_ = 0.0, envelope_s_ = 0.0;
  bool symmetric_ = false;
  QString second_name_;  // empty: colours of the first run
  Role second_role_ = Role::excitation;
  bool second_visible_ = true;
  QwtPlotZoneItem* zone_;
  QwtPlotMarker *zero_, *band_label_;
  std::array<QwtPlotMarker*, 2> cursor_marks_;
  QwtPlotTextLabel* cursor_text_;
  QwtPlotMarker* instant_mark_;
  PhaseShade* phases_;
  std::size_t phase_column_ = RunHistory::kNoValue;
  std::vector<TimeFlag> flags_;
  std::vector<QwtPlotMarker*> flag_marks_;
};

/// Gap with tolerance band, its envelope, and rms and peak of the shown rows.
class GapPlot : public TimePlot {
  Q_OBJECT
 public:
  GapPlot(const QString& name, TimeView* view, QWidget* parent = nullptr);
  /// Interface i from 0. tolerance: in the unit of its gap, 0 for none; window_s: window length of the envelope.
  void setGap(const RowLayout& layout, std::size_t i, double tolerance, double window_s);
  QString reading() const override;
  QString spoken() const override { return reading(); }
  /// rms and peak of the shown rows that count, m; if none counts, of all shown rows; NaN without rows.
  struct Reading {
    double rms = std::numeric_limits<double>::quiet_NaN(), peak = rms;  // SI
    bool counted = false;
  };
  Reading rmsAndPeak() const;

 private:
  std::size_t column_ = 0;
  double tolerance_ = 0.0;  // in the unit of the gap; 0: none
};

}  // namespace hyb::ui
