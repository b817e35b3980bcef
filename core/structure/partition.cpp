#include "core/structure/partition.h"

#include <algorithm>

#include "core/structure/assembly.h"

namespace hyb {
namespace {

/// The cut in terms of elements and DOF (both in the order of the structure).
struct Sides {
  std::vector<bool> physical_mass, physical_link;
  std::vector<bool> touched_by_ns, touched_by_ps;  // [n]
};

template <typename Items>
std::size_t indexOf(const Items& items, const std::string& name) {
  const auto it = std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
  return static_cast<std::size_t>(it - items.begin());  // size() if there is none
}

std::string entry(std::size_t i) { return "/partition/physical/" + std::to_string(i); }

Sides chooseSides(const LumpedStructure& structure, const PartitionSpec& spec, std::vector<Issue>& issues) {
  Sides sides;
  sides.physical_mass.resize(structure.masses.size());
  sides.physical_link.resize(structure.links.size());
  for (std::size_t i = 0; i < spec.physical.size(); ++i) {
    const std::string& name = spec.physical[i];
    const std::size_t mass = indexOf(structure.masses, name), link = indexOf(structure.links, name);
    if (std::find(spec.physical.begin(), spec.physical.begin() + static_cast<std::ptrdiff_t>(i), name) !=
        spec.physical.begin() + static_cast<std::ptrdiff_t>(i))
      issues.push_back({entry(i), "\"" + name + "\" is given twice; remove one"});
    else if (mass < structure.masses.size())
      sides.physical_mass[mass] = true;
    else if (link < structure.links.size())
      sides.physical_link[link] = true;
    else if (indexOf(structure.supports, name) < structure.supports.size())
      issues.push_back({entry(i), "\"" + name + "\" is a support; only masses and links can stand on the rig"});
    else
      issues.push_back({entry(i), "\"" + name + "\" is no mass or link of the structure; use the name of one"});
  }

  sides.touched_by_ps = sides.physical_mass;
  for (const bool physical : sides.physical_mass) sides.touched_by_ns.push_back(!physical);
  for (std::size_t i = 0; i < structure.links.size(); ++i)
    for (const std::string& end : {structure.links[i].from, structure.links[i].to})
      if (const std::size_t mass = indexOf(structure.masses, end); mass < structure.masses.size())
        (sides.physical_link[i] ? sides.touched_by_ps : sides.touched_by_ns)[mass] = true;
  return sides;
}

void checkSides(const LumpedStructure& structure, const PartitionSpec& spec, const Sides& sides,
                std::vector<Issue>& issues) {
  const std::string where = "/partition/physical";
  if (spec.physical.empty()) {
    issues.push_back({where, "is empty; name the masses and links that stand on the rig"});
    return;
  }
  const auto any = [](const std::vector<bool>& list) {
    return std::find(list.begin(), list.end(), true) != list.end();
  };
  bool shared = false;
  for (std::size_t i = 0; i < structure.masses.size(); ++i)
    shared = shared || (sides.touched_by_ns[i] && sides.touched_by_ps[i]);
  if (!any(sides.touched_by_ns))
    issues.push_back({where, "takes the whole structure; leave at least one mass to be computed"});
  else if (!shared)
    issues.push_back({where,
                      "shares no mass with the computed part, so nothing is left to couple; choose a link that "
                      "ends at a computed mass"});

  for (std::size_t i = 0; i < spec.physical.size(); ++i) {
    const std::string& name = spec.physical[i];
    if (const std::size_t l = indexOf(structure.links, name); l < structure.links.size()) {
      for (const std::string& end : {structure.links[l].from, structure.links[l].to})
        if (indexOf(structure.supports, end) < structure.supports.size())
          issues.push_back({entry(i), "\"" + name + "\" ties the specimen to the moving support \"" + end +
                                          "\", which the rig cannot move; leave this link to the computed part"});
    } else if (const std::size_t m = indexOf(structure.masses, name);
               m < structure.masses.size() && sides.touched_by_ns[m]) {
      issues.push_back({entry(i), "\"" + name +
                                      "\" would be a computed degree of freedom without mass, because a "
                                      "computed link ends there; leave this mass to the computed part, or put all its "
                                      "links on the rig"});
    }
  }
}

std::vector<Eigen::Index> indices(const std::vector<bool>& mask) {
  std::vector<Eigen::Index> chosen;
  for (std::size_t i = 0; i < mask.size(); ++i)
    if (mask[i]) chosen.push_back(static_cast<Eigen::Index>(i));
  return chosen;
}

SystemMatrices select(const SystemMatrices& whole, const std::vector<Eigen::Index>& dofs) {
  SystemMatrices part;
  for (const Eigen::Index dof : dofs) part.dofs.push_back(whole.dofs[static_cast<std::size_t>(dof)]);
  part.supports = whole.supports;
  part.m = whole.m(dofs, dofs);
  part.c = whole.c(dofs, dofs);
  part.k = whole.k(dofs, dofs);
  part.c_support = whole.c_support(dofs, Eigen::all);
  part.k_support = whole.k_support(dofs, Eigen::all);
  return part;
}

}  // namespace

Partition cut(const LumpedStructure& structure, const PartitionSpec& spec) {
  std::vector<Issue> issues = structureFaults(structure, "/structure");
  const Sides sides = chooseSides(structure, spec, issues);
  checkSides(structure, spec, sides, issues);
  if (!issues.empty()) throw InputError(std::move(issues));

  std::vector<bool> numerical_mass = sides.physical_mass, numerical_link = sides.physical_link;
  numerical_mass.flip();
  numerical_link.flip();
  const SystemMatrices numerical = assembleElements(structure, numerical_mass, numerical_link);
  const SystemMatrices physical = assembleElements(structure, sides.physical_mass, sides.physical_link);

  Partition partition;
  partition.reference = numerical;  // the sum of both sides, so that they assemble back bit for bit
  partition.reference.m += physical.m;
  partition.reference.c += physical.c;
  partition.reference.k += physical.k;
  partition.reference.c_support += physical.c_support;
  partition.reference.k_support += physical.k_support;

  const std::vector<Eigen::Index> ns = indices(sides.touched_by_ns), ps = indices(sides.touched_by_ps);
  partition.numerical = select(numerical, ns);
  partition.physical = select(physical, ps);
  for (std::size_t i = 0; i < ns.size(); ++i) {
    const auto in_ps = std::find(ps.begin(), ps.end(), ns[i]);
    if (in_ps == ps.end()) continue;
    partition.interface.push_back(partition.numerical.dofs[i]);
    partition.interface_in_reference.push_back(ns[i]);
    partition.interface_in_numerical.push_back(static_cast<Eigen::Index>(i));
    partition.interface_in_physical.push_back(in_ps - ps.begin());
  }
  return partition;
}

Eigen::MatrixXcd dynamicStiffness(const SystemMatrices& system, std::complex<double> s) {
  return s * s * system.m + s * system.c + system.k.cast<std::complex<double>>();
}

}  // namespace hyb
