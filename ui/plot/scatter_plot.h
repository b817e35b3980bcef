#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "ui/plot/plot_view.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {

/// One number of each run over another, or one curve per run.
struct ScatterData {
  struct Axis {
    QString title;  // without its unit
    DisplayUnit unit;
    bool log = false;  // vertical axis only
  };
  struct Curve {
    std::size_t run = 0;
    QString name, said;  // distinguishing value, and result
    std::vector<QPointF> points;
  };
  struct Group {
    QString name;                          // "alpha = 0.1"; empty for a single group
    std::vector<QPointF> points, stopped;  // stopped: runs that ended early, or points that did not converge
    std::vector<Curve> curves;
    std::vector<std::vector<QPointF>> references;  // reference curves
  };
  Axis x, y;
  std::vector<Group> groups;
  static constexpr std::size_t kMostGroups = 5;     // of points
  static constexpr std::size_t kMostFamilies = 12;  // of curves
  bool curved() const noexcept;
};

/// Points of runs in groups distinguished by colour and shape, with a line through the mean of each group at every x;
/// runs that ended early are crosses. Or one curve per run, distinguished by colour and dashes of its group; a click
/// selects one.
class ScatterPlot : public PlotView {
  Q_OBJECT
 public:
  explicit ScatterPlot(const QString& name, QWidget* parent = nullptr);
  ~ScatterPlot() override;
  void setData(ScatterData data);
  const ScatterData& data() const { return data_; }
  /// Highlights the curves of this run; none: all are equal.
  void emphasise(std::optional<std::size_t> run);
  QString saidAt(const QPointF& canvas_px) const override;
  void clickedAt(const QPointF& canvas_px) override;
  /// A point of a curve within reach of the pointer.
  struct Place {
    const ScatterData::Curve* curve = nullptr;
    QPointF point;
  };
  std::optional<Place> placeAt(const QPointF& canvas_px) const;

  QString reading() const override;
  std::vector<LegendEntry> legendEntries() const override;
  void setEntryVisible(std::size_t entry, bool visible) override;
  ValueTable valueTable() const override;

 Q_SIGNALS:
  void curvePicked(std::size_t run);

 protected:
  void updateData() override;
  void applyColours() override;
  bool hasData() const override;

 private:
  struct Curves;
  bool hasReferences() const;
  ScatterData data_;
  std::optional<std::size_t> emphasised_;
  bool references_visible_ = true;
  std::vector<std::unique_ptr<Curves>> curves_;
};

}  // namespace hyb::ui
