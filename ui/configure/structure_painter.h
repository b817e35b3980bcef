#pragma once
#include <QLineF>
#include <QPainter>
#include <QPalette>

#include "ui/configure/mode_shapes.h"
#include "ui/configure/structure_scene.h"

namespace hyb::ui {

/// From the drawing plane (m, y upwards) to the widget.
struct ViewMap {
  double scale = 1.0;  // px/m
  QPointF origin;      // of the plane, px
  QPointF operator()(double x_m, double y_m) const { return {origin.x() + scale * x_m, origin.y() - scale * y_m}; }
  double xAt(double x_px) const { return (x_px - origin.x()) / scale; }
  double yAt(double y_px) const { return (origin.y() - y_px) / scale; }
};

/// Draws a structure: computed parts hollow, tested parts solid, each in its colour; lines of one pixel stay sharp at
/// any zoom because symbols keep their size.
class StructurePainter {
 public:
  StructurePainter(const StructureScene& scene, const ViewMap& map, const QPalette& palette)
      : scene_(scene), map_(map), palette_(palette) {}

  void paintStructure(QPainter& painter) const;
  void paintInterface(QPainter& painter) const;
  /// The deflected shape, its largest translation `amplitude_px` long.
  void paintMode(QPainter& painter, const ModeShape& mode, double amplitude_px) const;
  void paintMember(QPainter& painter, const std::string& member) const;  // marked

  QPointF at(std::size_t node) const { return map_(scene_.model->nodes[node].x_m, scene_.model->nodes[node].y_m); }
  /// Line of an element: along its nodes, or its symbol at one node.
  QLineF lineOf(std::size_t element) const;
  /// Distance from that line that is still sensitive to the pointer, px.
  double reachOf(std::size_t element) const;

 private:
  QColor hue(bool on_rig) const;
  double beamWidth(std::size_t element) const;
  double floorHalf() const;
  void paintBeams(QPainter& painter) const;
  void paintLinks(QPainter& painter) const;
  void paintMasses(QPainter& painter) const;
  void paintSupports(QPainter& painter) const;
  void paintNames(QPainter& painter) const;

  const StructureScene& scene_;
  const ViewMap& map_;
  const QPalette& palette_;
};

}  // namespace hyb::ui
