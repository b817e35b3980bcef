#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "ui/plot/plot_view.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {

/// One number of each run over another, or a curve of each run.
struct ScatterData {
  struct Axis {
    QString title;  // without its unit
    DisplayUnit unit;
    bool log = false;  // upwards only
  };
  struct Curve {
    std::size_t run = 0;
    QString name, said;  // what sets it apart, and what it comes to
    std::vector<QPointF> points;
  };
  struct Group {
    QString name;                          // "alpha = 0.1"; empty when there is only one
    std::vector<QPointF> points, stopped;  // stopped: of runs that ended early, or what did not converge
    std::vector<Curve> curves;
    std::vector<std::vector<QPointF>> references;  // what the curves should have been
  };
  Axis x, y;
  std::vector<Group> groups;
  static constexpr std::size_t kMostGroups = 5;     // of points
  static constexpr std::size_t kMostFamilies = 12;  // of curves
  bool curved() const noexcept;
};

/// Points of runs in groups told apart by colour and shape, a line through the mean of each group at every x; runs that
/// ended early are crosses. Or a curve of each run, told apart by colour and dashes of its group; a click chooses one.
class ScatterPlot : public PlotView {
  Q_OBJECT
 public:
  explicit ScatterPlot(const QString& name, QWidget* parent = nullptr);
  ~ScatterPlot() override;
  void setData(ScatterData data);
  const ScatterData& data() const { return data_; }
  /// The curves of this run stand out; none: all are alike.
  void emphasise(std::optional<std::size_t> run);
  QString saidAt(const QPointF& canvas_px) const override;
  void clickedAt(const QPointF& canvas_px) override;
  /// A point of a curve within reach.
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
