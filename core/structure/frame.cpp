#include "core/structure/frame.h"

#include <algorithm>
#include <cmath>

#include "core/structure/beam_element.h"
#include "core/structure/name_check.h"

namespace hyb {
namespace {

using Sections = std::map<std::string, const BeamSection*>;
using Places = std::map<std::string, std::size_t>;  // of the nodes, by name

std::string noNode(const std::string& name) { return "\"" + name + "\" is not a node; use the name of a node"; }

Places checkedNodes(const FrameStructure& frame, Checks& checks) {
  Places places;
  NameCheck names(checks, "nodes");
  if (frame.nodes.empty()) checks.fault("/structure/nodes", "is empty; a frame needs nodes");
  for (std::size_t i = 0; i < frame.nodes.size(); ++i) {
    const FrameStructure::Node& node = frame.nodes[i];
    names.add(node.name, entryOf("nodes", i), true);
    for (const auto& [key, value] : {std::pair{"/x_m", node.x_m}, std::pair{"/y_m", node.y_m}})
      if (!std::isfinite(value)) checks.fault(entryOf("nodes", i) + key, value, "m", "must be finite");
    places.emplace(node.name, i);
  }
  return places;
}

void checkMembers(const FrameStructure& frame, const Sections& sections, const Places& places, NameCheck& names,
                  Checks& checks) {
  if (frame.members.empty()) checks.fault("/structure/members", "is empty; a frame needs at least one member");
  long total = 0;
  for (std::size_t i = 0; i < frame.members.size(); ++i) {
    const FrameStructure::Member& member = frame.members[i];
    const std::string pointer = entryOf("members", i);
    names.add(member.name, pointer, true);
    const auto from = places.find(member.from), to = places.find(member.to);
    if (from == places.end()) checks.fault(pointer + "/from", noNode(member.from));
    if (to == places.end()) checks.fault(pointer + "/to", noNode(member.to));
    if (from != places.end() && to != places.end()) {
      const FrameStructure::Node &a = frame.nodes[from->second], &b = frame.nodes[to->second];
      if (a.x_m == b.x_m && a.y_m == b.y_m)
        checks.fault(pointer + "/to", "has zero length from \"" + member.from + "\" to \"" + member.to +
                                          "\"; connect two nodes at different positions");
    }
    checkMesh(pointer, member.elements, total, checks);
    if (!sections.contains(member.section))
      checks.fault(pointer + "/section", "\"" + member.section + "\" is not a section; use the name of a section");
  }
}

void checkFrameParts(const FrameStructure& frame, const Places& places, NameCheck& names, Checks& checks) {
  for (std::size_t i = 0; i < frame.springs.size(); ++i) {
    const FrameStructure::Spring& spring = frame.springs[i];
    const std::string pointer = entryOf("springs", i);
    const bool turns = spring.direction == FrameStructure::Direction::rotation;
    names.add(spring.name, pointer);
    if (!places.contains(spring.from)) checks.fault(pointer + "/from", noNode(spring.from));
    if (!spring.to.empty() && !places.contains(spring.to))
      checks.fault(pointer + "/to", noNode(spring.to) + ", or leave it empty for the ground");
    if (spring.from == spring.to)
      checks.fault(pointer + "/to",
                   "is the same as \"from\": \"" + spring.to + "\"; a spring needs two different ends");
    bool good = checks.notNegative(pointer + "/stiffness", spring.stiffness, turns ? "N m/rad" : "N/m");
    good &= checks.notNegative(pointer + "/damping", spring.damping, turns ? "N m s/rad" : "N s/m");
    if (good && spring.stiffness + spring.damping == 0.0)
      checks.fault(pointer, "has neither stiffness nor damping; give it one of them, or remove the spring");
  }
  for (std::size_t i = 0; i < frame.masses.size(); ++i) {
    const FrameStructure::Mass& mass = frame.masses[i];
    names.add(mass.name, entryOf("masses", i));
    if (!places.contains(mass.node)) checks.fault(entryOf("masses", i) + "/node", noNode(mass.node));
    bool good = checks.notNegative(entryOf("masses", i) + "/mass_kg", mass.mass_kg, "kg");
    good &= checks.notNegative(entryOf("masses", i) + "/inertia_kg_m2", mass.inertia_kg_m2, "kg m^2");
    if (good && mass.mass_kg + mass.inertia_kg_m2 == 0.0)
      checks.fault(entryOf("masses", i), "has neither mass nor inertia; give it one of them or remove it");
  }
}

void checkTouched(const FrameStructure& frame, Checks& checks) {
  for (std::size_t i = 0; i < frame.nodes.size(); ++i) {
    const std::string& name = frame.nodes[i].name;
    const auto ends = [&](const auto& piece) { return piece.from == name || piece.to == name; };
    if (std::none_of(frame.members.begin(), frame.members.end(), ends) &&
        std::none_of(frame.springs.begin(), frame.springs.end(), ends))
      checks.fault(entryOf("nodes", i),
                   "\"" + name + "\" is not connected to a member or spring; connect it or remove it");
  }
}

/// Adds the nodes of the frame, then those inside its members. Returns the node before the first inner one of each
/// member.
std::vector<std::size_t> addNodes(const FrameStructure& frame, const Places& places, Model& model) {
  for (const FrameStructure::Node& node : frame.nodes)
    model.nodes.push_back(
        {node.name, node.x_m, node.y_m, {0, 0, 0}, {node.fixed_x, node.fixed_y, node.fixed_rotation}});
  std::vector<std::size_t> before;
  for (const FrameStructure::Member& member : frame.members) {
    before.push_back(model.nodes.size() - 1);
    const FrameStructure::Node &a = frame.nodes[places.at(member.from)], &b = frame.nodes[places.at(member.to)];
    for (int k = 1; k < member.elements; ++k) {
      const double share = static_cast<double>(k) / member.elements;
      model.nodes.push_back({member.name + "/" + std::to_string(k),
                             a.x_m + share * (b.x_m - a.x_m),
                             a.y_m + share * (b.y_m - a.y_m),
                             {0, 0, 0},
                             {}});
    }
  }
  return before;
}

/// Elements of one member; local x leads from its first to its second node, local y is 90 degrees to the left.
void addMember(const FrameStructure::Member& member, const BeamSection& section, const Places& places,
               std::size_t before, Model& model) {
  const std::size_t first = places.at(member.from), last = places.at(member.to);
  const double dx = model.nodes[last].x_m - model.nodes[first].x_m, dy = model.nodes[last].y_m - model.nodes[first].y_m;
  const double whole = std::hypot(dx, dy), length = whole / member.elements;
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(6, 6), k = m, turn = m;
  const std::array<Eigen::Index, 2> along{0, 3};
  const std::array<Eigen::Index, 4> across{1, 2, 4, 5};
  m(along, along) = axialMass(section, length);
  k(along, along) = axialStiffness(section, length);
  m(across, across) = bendingMass(section, length);
  k(across, across) = bendingStiffness(section, length);
  const Eigen::Matrix3d axes{{dx / whole, dy / whole, 0.0}, {-dy / whole, dx / whole, 0.0}, {0.0, 0.0, 1.0}};
  turn.topLeftCorner<3, 3>() = turn.bottomRightCorner<3, 3>() = axes;
  const auto turned = [&turn](const Eigen::MatrixXd& local) {
    const Eigen::MatrixXd global = turn.transpose() * local * turn;
    return Eigen::MatrixXd(0.5 * (global + global.transpose()));  // rounding leaves 1e-16
  };
  m = turned(m);
  k = turned(k);
  for (int piece = 1; piece <= member.elements; ++piece) {
    const auto inner = before + static_cast<std::size_t>(piece);  // node at the end of this piece
    ModelElement element;
    element.name = member.name + "/" + std::to_string(piece);
    element.member = member.name;
    element.shape = ElementShape::beam;
    element.nodes = {piece == 1 ? first : inner - 1, piece == member.elements ? last : inner};
    addMeshed(model, std::move(element), {0, 1, 2, 0, 1, 2}, m, k);
  }
}

void addSpring(const FrameStructure::Spring& spring, const Places& places, const std::string& pointer, Model& model,
               Checks& checks) {
  const auto d = static_cast<std::size_t>(spring.direction);
  ModelElement element;
  element.name = element.member = spring.name;
  element.nodes = {places.at(spring.from)};
  if (!spring.to.empty()) element.nodes.push_back(places.at(spring.to));
  for (const std::size_t node : element.nodes)
    if (const Eigen::Index dof = model.nodes[node].dof[d]; dof >= 0) element.dofs.push_back(dof);
  if (element.dofs.empty())
    return checks.fault(pointer, "acts only on motions that the ground holds; move it, or free one of them");
  const Eigen::MatrixXd stretch =
      element.dofs.size() == 1 ? Eigen::MatrixXd::Ones(1, 1) : Eigen::MatrixXd{{1.0, -1.0}, {-1.0, 1.0}};
  element.m = 0.0 * stretch;
  element.c = spring.damping * stretch;
  element.k = spring.stiffness * stretch;
  model.elements.push_back(std::move(element));
}

}  // namespace

Model frameModel(const FrameStructure& frame) {
  Checks checks;
  NameCheck names(checks, "members, springs and masses");
  const Sections sections = checkedSections(frame.sections, checks);
  const Places places = checkedNodes(frame, checks);
  checkMembers(frame, sections, places, names, checks);
  checkFrameParts(frame, places, names, checks);
  checkTouched(frame, checks);
  if (frame.ground.empty()) checks.fault("/structure/ground", "is empty; name the ground");
  checks.throwIfAny();

  Model model;
  const std::vector<std::size_t> before = addNodes(frame, places, model);
  numberDofs(model);
  moveWithGround(model, {frame.ground + "-x", frame.ground + "-y"}, {0, 1});
  for (std::size_t i = 0; i < frame.members.size(); ++i)
    addMember(frame.members[i], *sections.at(frame.members[i].section), places, before[i], model);
  for (std::size_t i = 0; i < frame.springs.size(); ++i)
    addSpring(frame.springs[i], places, entryOf("springs", i), model, checks);
  for (std::size_t i = 0; i < frame.masses.size(); ++i) {
    const FrameStructure::Mass& mass = frame.masses[i];
    addAtNode(model, mass.name, ElementShape::mass, places.at(mass.node),
              {{mass.mass_kg, mass.mass_kg, mass.inertia_kg_m2}, {}, {}}, entryOf("masses", i), checks);
  }
  checks.throwIfAny();
  return model;
}

}  // namespace hyb
