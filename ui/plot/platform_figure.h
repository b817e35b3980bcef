#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "core/rig/rig_geometry.h"
#include "ui/plot/plot_view.h"
#include "ui/plot/time_view.h"

namespace hyb {
struct Project;
}

namespace hyb::ui {

/// The platform of a rig with a geometry, seen from the side and above, at the newest row of the view: base, legs with
/// their lengths, platform and platform point. Without rows it stands as drawn. A leg near its bounds is coloured.
class PlatformFigure : public PlotView {
  Q_OBJECT
 public:
  /// `view` must outlive it.
  PlatformFigure(const QString& name, TimeView* view, QWidget* parent = nullptr);
  ~PlatformFigure() override;
  /// The test to come, or the one whose rows follow. False: its rig has no geometry.
  bool setProject(const Project& project);
  /// Null: none yet.
  void setRun(std::shared_ptr<const RunHistory> run);
  /// Lengths that are shown now, m, [leg].
  const LegValues& lengths_m() const;

  QString reading() const override;
  ValueTable valueTable() const override;

 protected:
  void updateData() override;
  void applyColours() override;
  bool hasData() const override { return geometry_.has_value(); }

 private:
  class Drawing;
  /// Column of a name in the run; none: it has no such column.
  std::optional<std::size_t> columnOf(const std::string& name) const;
  Pose poseAt(std::uint64_t row) const;
  std::optional<std::uint64_t> row() const;

  TimeView* view_;
  std::optional<RigGeometry> geometry_;
  std::shared_ptr<const RunHistory> run_;
  Drawing* drawing_;  // of the plot
};

}  // namespace hyb::ui
