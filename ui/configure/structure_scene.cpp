#include "ui/configure/structure_scene.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "core/project/reading.h"
#include "core/project/schema.h"
#include "ui/configure/specimen_laws.h"
#include "ui/document/schema_tools.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

QString sceneText(const char* text) { return QCoreApplication::translate("StructureScene", text); }

using Kind = StructureScene::Kind;

StructureScene::Kind kindOf(const Json& structure) {
  const std::string kind = structure.value("kind", std::string());
  return kind == "lumped"           ? Kind::lumped
         : kind == "shear-building" ? Kind::shear_building
         : kind == "beam"           ? Kind::beam
         : kind == "frame"          ? Kind::frame
                                    : Kind::matrices;
}

std::optional<std::size_t> nodeOf(const Model& model, const std::string& dof) {
  for (std::size_t node = 0; node < model.nodes.size(); ++node)
    for (const Eigen::Index d : model.nodes[node].dof)
      if (d >= 0 && model.dofs[static_cast<std::size_t>(d)].name == dof) return node;
  return {};
}

void setLaws(StructureScene& scene, const Json& document) {
  scene.laws.clear();
  for (const LawPlace& law : lawPlaces(document)) {
    std::optional<std::size_t> node;
    if (!law.dof.empty())
      node = nodeOf(*scene.model, law.dof);
    else if (law.interface <= scene.interface.size())
      node = scene.interface[law.interface - 1];
    if (!node) continue;
    const auto found =
        std::find_if(scene.laws.begin(), scene.laws.end(), [&](const auto& each) { return each.first == *node; });
    if (found == scene.laws.end())
      scene.laws.emplace_back(*node, law.title);
    else
      found->second += QStringLiteral(", ") + law.title;
  }
}

double coordinate(const ModelNode& node, bool along_y) { return along_y ? node.y_m : node.x_m; }

/// Distinct coordinates without the outermost, where one side would be empty.
std::vector<double> innerPlaces(const Model& model, bool along_y) {
  std::vector<double> places;
  for (const ModelNode& node : model.nodes) places.push_back(coordinate(node, along_y));
  std::sort(places.begin(), places.end());
  const double slack = places.empty() ? 0.0 : 1e-9 * (1.0 + places.back() - places.front());
  places.erase(std::unique(places.begin(), places.end(), [&](double a, double b) { return b - a <= slack; }),
               places.end());
  if (places.size() < 3) return {};
  return {places.begin() + 1, places.end() - 1};
}

struct Depth {
  QString section;
  double depth = 0.0;  // of a rectangle with the same area and second moment
};

/// Section by member, of beams and frames.
std::map<std::string, Depth> depths(const Json& structure) {
  std::map<std::string, double> of_section;
  const auto number = [](const Json& item, const char* key) {
    return item.contains(key) && item[key].is_number() ? item[key].get<double>() : 0.0;
  };
  if (structure.contains("sections"))
    for (const Json& section : structure["sections"]) {
      const double area = number(section, "area_m2"), second = number(section, "second_moment_m4");
      if (area > 0.0 && second > 0.0) of_section[nameOf(section)] = std::sqrt(12.0 * second / area);
    }
  std::map<std::string, Depth> found;
  for (const char* list : {"segments", "members"})
    if (structure.contains(list))
      for (const Json& member : structure[list])
        if (member.is_object() && member.contains("section") && member["section"].is_string()) {
          const auto name = member["section"].get<std::string>();
          found[nameOf(member)] = {QString::fromStdString(name), of_section[name]};
        }
  return found;
}

}  // namespace

double StructureScene::lengthOf(std::size_t element) const {
  const ModelElement& piece = model->elements[element];
  if (piece.nodes.size() < 2) return 0.0;
  const ModelNode &a = model->nodes[piece.nodes[0]], &b = model->nodes[piece.nodes[1]];
  return std::hypot(b.x_m - a.x_m, b.y_m - a.y_m);
}

bool StructureScene::memberOnRig(const std::string& member) const {
  for (std::size_t e = 0; e < on_rig.size(); ++e)
    if (model->elements[e].member == member && !on_rig[e]) return false;
  return true;
}

std::optional<CutLine> StructureScene::presentLine() const {
  if (line) return line;
  if (!drawable() || interface.empty()) return {};
  for (const bool along_y : {kind == Kind::shear_building, kind != Kind::shear_building}) {
    const double first = coordinate(model->nodes[interface.front()], along_y);
    const bool one = std::all_of(interface.begin(), interface.end(), [&](std::size_t node) {
      return std::abs(coordinate(model->nodes[node], along_y) - first) < 1e-9;
    });
    const std::vector<double>& all = places(along_y);
    const bool inside =
        std::any_of(all.begin(), all.end(), [&](double place) { return std::abs(place - first) < 1e-9; });
    if (one && inside) return CutLine{along_y, first};
  }
  return {};
}

QString StructureScene::placeText(const CutLine& at) const {
  const std::vector<ModelNode>* nodes = model ? &model->nodes : nullptr;
  if (!metric() && nodes)
    for (const ModelNode& node : *nodes)
      if (std::abs(coordinate(node, at.along_y) - at.position_m) < 0.5)
        return kind == Kind::shear_building ? sceneText("at storey %1").arg(QString::fromStdString(node.name))
                                            : sceneText("at %1").arg(QString::fromStdString(node.name));
  return QStringLiteral("%1 = %2\u2009m")
      .arg(at.along_y ? QLatin1Char('y') : QLatin1Char('x'))
      .arg(figureText(at.position_m, 5));
}

StructureScene makeScene(const std::shared_ptr<const Model>& model, const Json& document) {
  StructureScene scene;
  const auto found = document.is_object() ? document.find("structure") : document.end();
  if (!model || found == document.end() || !found->is_object()) return scene;
  const Json& structure = *found;
  scene.model = model;
  scene.kind = kindOf(structure);
  const std::map<std::string, Depth> sections = depths(structure);
  double deepest = 0.0, stiffest = 0.0;
  for (const auto& [name, depth] : sections) deepest = std::max(deepest, depth.depth);
  const auto stiffness = [](const ModelElement& e) { return e.k.size() > 0 ? e.k.diagonal().maxCoeff() : 0.0; };
  for (const ModelElement& element : model->elements) stiffest = std::max(stiffest, stiffness(element));
  for (const ModelElement& element : model->elements) {
    const auto section = sections.find(element.member);
    const bool beam = section != sections.end();
    scene.section.push_back(beam ? section->second.section : QString());
    scene.thickness.push_back(beam ? section->second.depth / std::max(deepest, 1e-12)
                                   : std::sqrt(stiffness(element) / std::max(stiffest, 1e-12)));
    if (std::find(scene.members.rbegin(), scene.members.rend(), element.member) == scene.members.rend())
      scene.members.push_back(element.member);
  }
  if (!model->nodes.empty()) {
    double left = model->nodes[0].x_m, right = left, low = model->nodes[0].y_m, high = low;
    for (const ModelNode& node : model->nodes) {
      left = std::min(left, node.x_m), right = std::max(right, node.x_m);
      low = std::min(low, node.y_m), high = std::max(high, node.y_m);
    }
    scene.extent = QRectF(left, low, right - left, high - low);
  }
  scene.places_x = innerPlaces(*model, false);
  scene.places_y = innerPlaces(*model, true);
  if (scene.kind == StructureScene::Kind::lumped) {
    // Supports lie beyond the outermost masses, so these masses are places to cut as well.
    scene.places_x.insert(scene.places_x.begin(), scene.extent.left());
    if (scene.extent.width() > 0.0) scene.places_x.push_back(scene.extent.right());
  }
  if (scene.kind == StructureScene::Kind::shear_building) scene.places_x.clear();
  setCut(scene, document);
  return scene;
}

void setCut(StructureScene& scene, const Json& document) {
  if (!scene.model) return;
  const Model& model = *scene.model;
  scene.line.reset();
  scene.on_rig.resize(model.elements.size());
  try {
    const Json section = sectionWithDefaults(document, "partition");
    scene.by = section.at("by").get<std::string>();
    const PartitionSpec spec = parsePartition(section);
    if (const auto* line = std::get_if<CutByPosition>(&spec.cut)) scene.line = {line->along_y, line->position_m};
    scene.on_rig = elementsOnRig(model, spec);
  } catch (const std::exception&) {
    // The list of errors gives the reason; the last sides stay.
  }
  std::vector<bool> computed(model.nodes.size()), tested(model.nodes.size());
  for (std::size_t e = 0; e < model.elements.size(); ++e)
    for (const std::size_t node : model.elements[e].nodes) (scene.on_rig[e] ? tested : computed)[node] = true;
  scene.interface.clear();
  for (std::size_t node = 0; node < model.nodes.size(); ++node) {
    const auto& dof = model.nodes[node].dof;
    if (computed[node] && tested[node] && std::any_of(dof.begin(), dof.end(), [](Eigen::Index d) { return d >= 0; }))
      scene.interface.push_back(node);
  }
  // Matrices are not drawn, but their interface nodes are.
  for (const std::string& dof : interfaceNames(document))
    if (const auto node = nodeOf(model, dof);
        node && std::find(scene.interface.begin(), scene.interface.end(), *node) == scene.interface.end())
      scene.interface.push_back(*node);
  setLaws(scene, document);
  if (!scene.line) return;
  // Takes the nearest node.
  const CutLine asked = *scene.line;
  double best = std::numeric_limits<double>::infinity();
  for (const ModelNode& node : model.nodes)
    if (const double place = coordinate(node, asked.along_y);
        std::abs(place - asked.position_m) < std::abs(best - asked.position_m))
      best = place;
  if (std::isfinite(best)) scene.line->position_m = best;
}

}  // namespace hyb::ui
