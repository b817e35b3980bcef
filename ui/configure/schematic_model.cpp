#include "ui/configure/schematic_model.h"

#include <algorithm>
#include <optional>
#include <set>

#include "ui/configure/specimen_laws.h"
#include "ui/document/field_editors.h"
#include "ui/document/schema_tools.h"

namespace hyb::ui {
namespace {

std::vector<Json> listAt(const Json& document, const char* pointer) {
  const Json::json_pointer place(pointer);
  if (!document.contains(place) || !document.at(place).is_array()) return {};
  return {document.at(place).begin(), document.at(place).end()};
}

std::string text(const Json& item, const char* key) {
  return item.is_object() && item.contains(key) && item[key].is_string() ? item[key].get<std::string>() : "";
}

double number(const Json& item, const char* key, double fallback = 0.0) {
  return item.is_object() && item.contains(key) && item[key].is_number() ? item[key].get<double>() : fallback;
}

std::optional<std::size_t> find(const SchematicModel& model, const std::string& name) {
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    if (model.nodes[i].name == name) return i;
  return {};
}

void placeColumns(SchematicModel& model) {
  std::vector<bool> placed(model.nodes.size(), false);
  int column = 0;
  std::vector<std::size_t> trail;  // nodes with unvisited branches
  const auto put = [&](std::size_t node) {
    placed[node] = true;
    model.nodes[node].column = column++;
    trail.push_back(node);
  };
  const auto next = [&](std::size_t node) -> std::optional<std::size_t> {
    std::optional<std::size_t> support;
    for (const auto& link : model.links) {
      if (link.from != node && link.to != node) continue;
      const std::size_t other = link.from == node ? link.to : link.from;
      if (placed[other]) continue;
      if (!model.nodes[other].support) return other;
      support = other;  // a support ends the row, so masses come first
    }
    return support;
  };
  while (std::find(placed.begin(), placed.end(), false) != placed.end()) {
    std::optional<std::size_t> node;
    while (!trail.empty() && !(node = next(trail.back()))) trail.pop_back();
    if (!node) {
      for (std::size_t i = 0; i < placed.size(); ++i)
        if (!placed[i] && (!node || (model.nodes[i].support && !model.nodes[*node].support))) node = i;
    }
    put(*node);
  }
}

void placeLanes(SchematicModel& model) {
  std::vector<std::pair<int, int>> spans;
  std::vector<int> lanes;
  for (auto& link : model.links) {
    if (model.nodes[link.from].column > model.nodes[link.to].column) std::swap(link.from, link.to);
    const int left = model.nodes[link.from].column, right = model.nodes[link.to].column;
    link.lane = right - left > 1 ? 1 : 0;  // lane 0 is for neighbours
    const auto blocked = [&] {
      for (std::size_t i = 0; i < spans.size(); ++i)
        if (lanes[i] == link.lane && spans[i].first < right && left < spans[i].second) return true;
      return false;
    };
    while (blocked()) ++link.lane;
    spans.emplace_back(left, right);
    lanes.push_back(link.lane);
    model.lanes = std::max(model.lanes, link.lane + 1);
  }
}

}  // namespace

SchematicModel schematicModel(const Json& document) {
  SchematicModel model;
  std::set<std::string> physical;
  for (const Json& name : listAt(document, "/partition/physical"))
    if (name.is_string()) physical.insert(name.get<std::string>());
  for (const Json& mass : listAt(document, "/structure/masses"))
    model.nodes.push_back(
        {nameOf(mass), false, physical.contains(nameOf(mass)), 0, number(mass, "mass_kg"), {}, 0, {}});
  for (const Json& support : listAt(document, "/structure/supports"))
    model.nodes.push_back({nameOf(support), true, false, 0, 0.0, {}, 0, {}});
  for (const Json& link : listAt(document, "/structure/links")) {
    const auto from = find(model, text(link, "from")), to = find(model, text(link, "to"));
    if (from && to && *from != *to)
      model.links.push_back({nameOf(link), *from, *to, physical.contains(nameOf(link)),
                             number(link, "stiffness_n_per_m"), number(link, "damping_n_s_per_m"), 0});
  }
  int interfaces = 0;
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    auto& node = model.nodes[i];
    if (node.support) continue;
    bool tested = node.physical, computed = !node.physical;
    for (const auto& link : model.links)
      if (link.from == i || link.to == i) (link.physical ? tested : computed) = true;
    if (tested && computed) node.interface = ++interfaces;
  }
  // If the project names the interface itself, that order counts. A side may then consist of matrices, which are not
  // drawn.
  if (const std::vector<std::string> named = interfaceNames(document); !named.empty()) {
    for (auto& node : model.nodes) node.interface = 0;
    for (std::size_t i = 0; i < named.size(); ++i)
      if (const auto node = find(model, named[i])) model.nodes[*node].interface = static_cast<int>(i) + 1;
  }
  for (const LawPlace& law : lawPlaces(document))
    for (auto& node : model.nodes)
      if (law.dof.empty() ? node.interface == static_cast<int>(law.interface) : node.name == law.dof)
        node.laws += (node.laws.empty() ? "" : ", ") + law.title.toStdString();
  for (const Json& load : listAt(document, "/excitation/loads")) {
    for (const char* key : {"support", "mass"})
      if (const auto node = find(model, text(load, key))) {
        std::string& motion = model.nodes[*node].motion;
        const double factor = number(load, "factor", 1.0);
        motion += (motion.empty() ? "" : ", ") + text(load, "signal");
        if (factor != 1.0) motion += " \u00d7 " + NumberEdit::format(Json(factor)).toStdString();
      }
  }
  placeColumns(model);
  placeLanes(model);
  return model;
}

}  // namespace hyb::ui
