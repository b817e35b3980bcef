#include "core/structure/lumped.h"

#include <algorithm>
#include <string_view>

#include "core/structure/name_check.h"

namespace hyb {
namespace {

/// Index by name; -1 if there is none.
template <typename Items>
Eigen::Index find(const Items& items, std::string_view name) {
  const auto it = std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
  return it == items.end() ? -1 : it - items.begin();
}

void checkLink(const LumpedStructure& structure, const LumpedLink& link, const std::string& pointer, Checks& checks) {
  const auto checkEnd = [&](const char* key, const std::string& name) {
    if (find(structure.masses, name) < 0 && find(structure.supports, name) < 0)
      checks.fault(pointer + key, "\"" + name + "\" is neither a mass nor a support; use the name of one");
  };
  checkEnd("/from", link.from);
  checkEnd("/to", link.to);
  if (link.from == link.to)
    checks.fault(pointer + "/to", "is the same as \"from\": \"" + link.to + "\"; a link needs two different ends");
  else if (find(structure.supports, link.from) >= 0 && find(structure.supports, link.to) >= 0)
    checks.fault(pointer, "connects two supports and acts on no mass; connect one end to a mass, or remove the link");

  const bool stiffness = checks.notNegative(pointer + "/stiffness_n_per_m", link.stiffness_n_per_m, "N/m");
  const bool damping = checks.notNegative(pointer + "/damping_n_s_per_m", link.damping_n_s_per_m, "N s/m");
  if (stiffness && damping && link.stiffness_n_per_m == 0.0 && link.damping_n_s_per_m == 0.0)
    checks.fault(pointer, "has neither stiffness nor damping; give it one of them, or remove the link");
}

/// A part without a connection to a support would drift under any mean force.
void checkConnected(const LumpedStructure& structure, const std::string& prefix, Checks& checks) {
  std::vector<bool> held(structure.masses.size(), false);
  const auto isHeld = [&](const std::string& name) {
    const Eigen::Index mass = find(structure.masses, name);
    return mass < 0 ? find(structure.supports, name) >= 0 : bool{held[static_cast<std::size_t>(mass)]};
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const LumpedLink& link : structure.links) {
      if (isHeld(link.from) == isHeld(link.to)) continue;
      const Eigen::Index mass = find(structure.masses, isHeld(link.from) ? link.to : link.from);
      if (mass < 0) continue;  // unknown name, reported with its link
      changed = held[static_cast<std::size_t>(mass)] = true;
    }
  }
  for (std::size_t i = 0; i < held.size(); ++i)
    if (!held[i])
      checks.fault(prefix + "/masses/" + std::to_string(i),
                   "\"" + structure.masses[i].name +
                       "\" is not connected to a support; link it, directly or through "
                       "other masses, to one");
}

void check(const LumpedStructure& structure) {
  const std::string prefix = "/structure";
  Checks checks;
  NameCheck names(checks, "masses, supports and links");
  if (structure.masses.empty()) checks.fault(prefix + "/masses", "is empty; a structure needs at least one mass");
  for (std::size_t i = 0; i < structure.masses.size(); ++i) {
    const LumpedMass& mass = structure.masses[i];
    const std::string pointer = prefix + "/masses/" + std::to_string(i);
    names.add(mass.name, pointer);
    checks.positive(pointer + "/mass_kg", mass.mass_kg, "kg");
  }
  for (std::size_t i = 0; i < structure.supports.size(); ++i)
    names.add(structure.supports[i].name, prefix + "/supports/" + std::to_string(i));
  for (std::size_t i = 0; i < structure.links.size(); ++i) {
    const std::string pointer = prefix + "/links/" + std::to_string(i);
    names.add(structure.links[i].name, pointer);
    checkLink(structure, structure.links[i], pointer, checks);
  }
  checkConnected(structure, prefix, checks);
  checks.throwIfAny();
}

/// Rows of a spring and damper over one or two DOF.
ModelElement linkElement(const LumpedStructure& structure, const LumpedLink& link) {
  ModelElement element;
  element.name = element.member = link.name;
  element.shape = ElementShape::link;
  for (const std::string& end : {link.from, link.to})
    if (const Eigen::Index mass = find(structure.masses, end); mass >= 0) {
      element.dofs.push_back(mass);
      element.nodes.push_back(static_cast<std::size_t>(mass));
    } else {
      element.support = static_cast<std::size_t>(find(structure.supports, end));
    }
  const auto d = static_cast<Eigen::Index>(element.dofs.size());
  const Eigen::MatrixXd stretch = d == 1 ? Eigen::MatrixXd::Ones(1, 1) : Eigen::MatrixXd{{1.0, -1.0}, {-1.0, 1.0}};
  element.m = Eigen::MatrixXd::Zero(d, d);
  element.c = link.damping_n_s_per_m * stretch;
  element.k = link.stiffness_n_per_m * stretch;
  if (element.support) {
    element.c_support = Eigen::VectorXd::Constant(1, link.damping_n_s_per_m);
    element.k_support = Eigen::VectorXd::Constant(1, link.stiffness_n_per_m);
  }
  return element;
}

}  // namespace

Model lumpedModel(const LumpedStructure& structure) {
  check(structure);
  Model model;
  for (const LumpedSupport& support : structure.supports) model.supports.push_back(support.name);
  for (std::size_t i = 0; i < structure.masses.size(); ++i) {
    const LumpedMass& mass = structure.masses[i];
    const auto dof = static_cast<Eigen::Index>(i);
    model.dofs.push_back({mass.name, Motion::translation});
    model.nodes.push_back({mass.name, static_cast<double>(i), 0.0, {dof, -1, -1}, {}});
    ModelElement element;
    element.name = element.member = mass.name;
    element.shape = ElementShape::mass;
    element.nodes = {i};
    element.dofs = {dof};
    element.m = Eigen::MatrixXd::Constant(1, 1, mass.mass_kg);
    element.c = element.k = Eigen::MatrixXd::Zero(1, 1);
    model.elements.push_back(std::move(element));
  }
  for (const LumpedLink& link : structure.links) model.elements.push_back(linkElement(structure, link));
  model.influence = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(model.dofs.size()),
                                          static_cast<Eigen::Index>(model.supports.size()));
  return model;
}

}  // namespace hyb
