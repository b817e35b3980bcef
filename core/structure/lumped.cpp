#include "core/structure/lumped.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string_view>

#include "core/error.h"

namespace hyb {
namespace {

std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%g", value);
  return buffer;
}

/// Index by name; -1 if there is none.
template <typename Items>
Eigen::Index find(const Items& items, std::string_view name) {
  const auto it = std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
  return it == items.end() ? -1 : it - items.begin();
}

/// Names of masses, supports and links share one list: the partition and the loads refer to them by name alone.
class NameCheck {
 public:
  explicit NameCheck(std::vector<Issue>& issues) : issues_(issues) {}
  void add(const std::string& name, const std::string& pointer) {
    if (name.empty()) {
      issues_.push_back({pointer + "/name", "is empty; give every mass, support and link a name"});
      return;
    }
    const auto [first, is_new] = seen_.emplace(name, pointer);
    if (!is_new)
      issues_.push_back({pointer + "/name", "\"" + name + "\" is already the name of " + first->second +
                                                "; names of masses, supports and links must all differ"});
  }

 private:
  std::vector<Issue>& issues_;
  std::map<std::string, std::string> seen_;
};

void checkLink(const LumpedStructure& structure, const LumpedLink& link, const std::string& pointer,
               std::vector<Issue>& issues) {
  const auto checkEnd = [&](const char* key, const std::string& name) {
    if (find(structure.masses, name) < 0 && find(structure.supports, name) < 0)
      issues.push_back({pointer + key, "\"" + name + "\" is neither a mass nor a support; use the name of one"});
  };
  checkEnd("/from", link.from);
  checkEnd("/to", link.to);
  if (link.from == link.to)
    issues.push_back({pointer + "/to", "leads back to \"" + link.to + "\"; a link needs two different ends"});
  else if (find(structure.supports, link.from) >= 0 && find(structure.supports, link.to) >= 0)
    issues.push_back({pointer, "joins two supports and so acts on no mass; tie one end to a mass or remove the link"});

  const auto checkValue = [&](const char* key, double value, const char* unit) {
    const bool good = std::isfinite(value) && value >= 0.0;
    if (!good)
      issues.push_back(
          {pointer + key, text(value) + " " + unit + " is not allowed; give a finite value of at least 0"});
    return good;
  };
  const bool stiffness = checkValue("/stiffness_n_per_m", link.stiffness_n_per_m, "N/m");
  const bool damping = checkValue("/damping_n_s_per_m", link.damping_n_s_per_m, "N s/m");
  if (stiffness && damping && link.stiffness_n_per_m == 0.0 && link.damping_n_s_per_m == 0.0)
    issues.push_back({pointer, "has neither stiffness nor damping; give it one of them or remove the link"});
}

/// A part without a way to a support would drift off under any mean force.
void checkConnected(const LumpedStructure& structure, const std::string& prefix, std::vector<Issue>& issues) {
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
      if (mass < 0) continue;  // an unknown name, reported with its link
      changed = held[static_cast<std::size_t>(mass)] = true;
    }
  }
  for (std::size_t i = 0; i < held.size(); ++i)
    if (!held[i])
      issues.push_back({prefix + "/masses/" + std::to_string(i), "\"" + structure.masses[i].name +
                                                                     "\" hangs on nothing; link it, directly or over "
                                                                     "other masses, to a support"});
}

std::vector<Issue> faultsOf(const LumpedStructure& structure) {
  const std::string prefix = "/structure";
  std::vector<Issue> issues;
  NameCheck names(issues);
  if (structure.masses.empty()) issues.push_back({prefix + "/masses", "is empty; a structure needs at least one mass"});
  for (std::size_t i = 0; i < structure.masses.size(); ++i) {
    const LumpedMass& mass = structure.masses[i];
    const std::string pointer = prefix + "/masses/" + std::to_string(i);
    names.add(mass.name, pointer);
    if (!std::isfinite(mass.mass_kg) || mass.mass_kg <= 0.0)
      issues.push_back(
          {pointer + "/mass_kg", text(mass.mass_kg) + " kg is not allowed; give a finite mass greater than 0"});
  }
  for (std::size_t i = 0; i < structure.supports.size(); ++i)
    names.add(structure.supports[i].name, prefix + "/supports/" + std::to_string(i));
  for (std::size_t i = 0; i < structure.links.size(); ++i) {
    const std::string pointer = prefix + "/links/" + std::to_string(i);
    names.add(structure.links[i].name, pointer);
    checkLink(structure, structure.links[i], pointer, issues);
  }
  checkConnected(structure, prefix, issues);
  return issues;
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
  if (std::vector<Issue> issues = faultsOf(structure); !issues.empty()) throw InputError(std::move(issues));
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
