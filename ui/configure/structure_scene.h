#pragma once
#include <QRectF>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "core/project/project.h"

namespace hyb::ui {

/// Where a line cuts the structure.
struct CutLine {
  bool along_y = false;  // position along y instead of x; the line is perpendicular
  double position_m = 0.0;
};

/// Data of a drawing of the structure, in addition to the model.
struct StructureScene {
  enum class Kind { lumped, shear_building, beam, frame, matrices };

  std::shared_ptr<const Model> model;  // null: no drawing
  Kind kind = Kind::matrices;
  QRectF extent;                       // of the nodes, m (counted for lumped masses and storeys); y upwards
  std::vector<double> thickness;       // [elements], 0..1: depth of the section against the deepest, or stiffness
  std::vector<QString> section;        // [elements], name; empty: none
  std::vector<std::string> members;    // in their order
  std::vector<bool> on_rig;            // [elements]
  std::vector<std::size_t> interface;  // nodes that both sides touch
  std::vector<std::pair<std::size_t, QString>> laws;  // of the specimen: node, "contact, friction"
  std::string by = "elements";                        // kind of cut in the project
  std::optional<CutLine> line;                        // of a cut by position
  std::vector<double> places_x, places_y;             // between the outermost nodes, ascending: where a line may run

  bool drawable() const { return model && !model->elements.empty() && kind != Kind::matrices; }
  bool metric() const { return kind == Kind::beam || kind == Kind::frame; }
  const std::vector<double>& places(bool along_y) const { return along_y ? places_y : places_x; }
  double lengthOf(std::size_t element) const;         // m; 0 for what has one node
  bool memberOnRig(const std::string& member) const;  // all of it
  /// Line of the present cut, also of a cut by elements or nodes if all interface nodes lie on one line.
  std::optional<CutLine> presentLine() const;
  /// Name of a line: "x = 0.17 m", "storey 2".
  QString placeText(const CutLine& line) const;
};

StructureScene makeScene(const std::shared_ptr<const Model>& model, const Json& document);
/// Reads cut and specimen's laws from the document, as far as readable.
void setCut(StructureScene& scene, const Json& document);

}  // namespace hyb::ui
