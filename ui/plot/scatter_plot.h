#pragma once
#include <memory>
#include <vector>

#include "ui/plot/plot_view.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {

/// One number of each run over another.
struct ScatterData {
  struct Axis {
    QString title;  // without its unit
    DisplayUnit unit;
  };
  struct Group {
    QString name;                          // "alpha = 0.1"; empty when there is only one
    std::vector<QPointF> points, stopped;  // stopped: of runs that ended early
  };
  Axis x, y;
  std::vector<Group> groups;  // at most kMostGroups
  static constexpr std::size_t kMostGroups = 5;
};

/// Points of runs in groups told apart by colour and shape, a line through the mean of each group at every x; runs that
/// ended early are crosses.
class ScatterPlot : public PlotView {
  Q_OBJECT
 public:
  explicit ScatterPlot(const QString& name, QWidget* parent = nullptr);
  ~ScatterPlot() override;
  void setData(ScatterData data);
  const ScatterData& data() const { return data_; }

  QString reading() const override;
  std::vector<LegendEntry> legendEntries() const override;
  void setEntryVisible(std::size_t entry, bool visible) override;
  ValueTable valueTable() const override;

 protected:
  void updateData() override;
  void applyColours() override;
  bool hasData() const override;

 private:
  struct Curves;
  ScatterData data_;
  std::vector<std::unique_ptr<Curves>> curves_;
};

}  // namespace hyb::ui
