#include "core/structure/partition.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/base/words.h"
#include "core/structure/cut_by_blocks.h"
#include "core/structure/sides.h"

namespace hyb {
namespace {

std::string entry(std::size_t i) { return "/partition/physical/" + std::to_string(i); }

/// "member/3-8" as {"member/", 3, 8}.
struct Range {
  std::string member;
  int first = 0, last = 0;
};
std::optional<Range> rangeOf(const std::string& name) {
  const std::size_t slash = name.rfind('/'), dash = name.rfind('-');
  if (slash == std::string::npos || dash == std::string::npos || dash < slash) return {};
  Range range{name.substr(0, slash + 1), 0, 0};
  const char *text = name.data(), *end = text + name.size();
  if (std::from_chars(text + slash + 1, text + dash, range.first).ptr != text + dash ||
      std::from_chars(text + dash + 1, end, range.last).ptr != end)
    return {};
  return range;
}

/// Elements of a name in CutByElements: one element, all of a member, or a range of its pieces, which must all exist.
std::vector<std::size_t> elementsCalled(const Model& model, const std::string& name) {
  std::vector<std::size_t> found;
  for (std::size_t e = 0; e < model.elements.size(); ++e)
    if (model.elements[e].name == name || model.elements[e].member == name) found.push_back(e);
  const std::optional<Range> range = rangeOf(name);
  if (!found.empty() || !range) return found;
  const auto there = [&](int piece) {
    const std::string full = range->member + std::to_string(piece);
    return std::find_if(model.elements.begin(), model.elements.end(), [&](const auto& e) { return e.name == full; });
  };
  for (int piece = range->first; piece <= range->last; ++piece) {
    const auto element = there(piece);
    if (element == model.elements.end()) return {};
    found.push_back(static_cast<std::size_t>(element - model.elements.begin()));
  }
  return found;
}

std::vector<std::string> elementNames(const Model& model) {
  std::vector<std::string> list;
  for (const ModelElement& element : model.elements) {
    list.push_back(element.name);
    if (element.member != element.name && (list.size() < 2 || list[list.size() - 2] != element.member))
      list.push_back(element.member);
  }
  return list;
}

std::vector<bool> choose(const Model& model, const CutByElements& spec, Checks& checks) {
  std::vector<bool> physical(model.elements.size());
  if (spec.physical.empty()) checks.fault("/partition/physical", "is empty; name the elements on the rig");
  for (std::size_t i = 0; i < spec.physical.size(); ++i) {
    const std::string& name = spec.physical[i];
    const auto here = spec.physical.begin() + static_cast<std::ptrdiff_t>(i);
    const std::vector<std::size_t> elements = elementsCalled(model, name);
    if (std::find(spec.physical.begin(), here, name) != here)
      checks.fault(entry(i), quoted(name) + " is given twice; remove one");
    else if (std::find(model.supports.begin(), model.supports.end(), name) != model.supports.end())
      checks.fault(entry(i), quoted(name) + " is a support; only elements can be on the rig");
    else if (elements.empty())
      checks.fault(entry(i), quoted(name) + " is not an element of the structure. " + hint(name, elementNames(model)) +
                                 "Use the name of an element, of a member, or a range as \"member/3-8\"");
    for (const std::size_t e : elements) physical[e] = true;
  }
  return physical;
}

std::vector<bool> choose(const Model& model, const CutByNodes& spec, Checks& checks) {
  std::vector<bool> on_rig(model.nodes.size()), physical(model.elements.size());
  if (spec.physical.empty()) checks.fault("/partition/physical", "is empty; name the nodes on the rig");
  for (std::size_t i = 0; i < spec.physical.size(); ++i) {
    const std::string& name = spec.physical[i];
    const auto node =
        std::find_if(model.nodes.begin(), model.nodes.end(), [&](const auto& n) { return n.name == name; });
    if (node == model.nodes.end())
      checks.fault(entry(i), quoted(name) + " is not a node of the structure; use the name of a node");
    else if (auto chosen = on_rig[static_cast<std::size_t>(node - model.nodes.begin())]; chosen)
      checks.fault(entry(i), quoted(name) + " is given twice; remove one");
    else
      chosen = true;
  }
  const auto allOnRig = [&](const ModelElement& element) {
    return std::all_of(element.nodes.begin(), element.nodes.end(), [&](std::size_t node) { return on_rig[node]; });
  };
  std::vector<bool> shared(model.nodes.size());
  for (const ModelElement& element : model.elements)
    if (!allOnRig(element))
      for (const std::size_t node : element.nodes) shared[node] = true;
  for (std::size_t e = 0; e < physical.size(); ++e) {
    const ModelElement& element = model.elements[e];
    physical[e] = allOnRig(element) && (element.nodes.size() > 1 || !shared[element.nodes.front()]);
  }
  return physical;
}

/// For drawings; the cut resolves the names.
std::vector<bool> choose(const Model& model, const CutByStoreys& spec, Checks& /*checks*/) {
  std::vector<bool> physical(model.elements.size());
  for (std::size_t e = 0; e < physical.size(); ++e)
    physical[e] =
        std::find(spec.physical.begin(), spec.physical.end(), model.elements[e].member) != spec.physical.end();
  return physical;
}

double along(const ModelNode& node, bool along_y) { return along_y ? node.y_m : node.x_m; }

std::vector<bool> choose(const Model& model, const CutByPosition& spec, Checks& checks) {
  std::vector<bool> physical(model.elements.size());
  if (!std::isfinite(spec.position_m)) checks.fault("/partition/position_m", "is not finite; give a position in m");
  if (model.nodes.empty()) return physical;
  double line = along(model.nodes.front(), spec.along_y);
  for (const ModelNode& node : model.nodes)
    if (std::abs(along(node, spec.along_y) - spec.position_m) < std::abs(line - spec.position_m))
      line = along(node, spec.along_y);
  const double slack = 1e-9 * (1.0 + std::abs(line));
  const auto side = [&](std::size_t node) {  // > 0: physical, 0: on the line
    const double distance = along(model.nodes[node], spec.along_y) - line;
    return std::abs(distance) <= slack ? 0 : (distance > 0.0) == spec.physical_beyond ? 1 : -1;
  };
  for (std::size_t e = 0; e < physical.size(); ++e) {
    const std::vector<std::size_t>& nodes = model.elements[e].nodes;
    const bool any_physical = std::any_of(nodes.begin(), nodes.end(), [&](std::size_t n) { return side(n) > 0; });
    const bool any_numerical = std::any_of(nodes.begin(), nodes.end(), [&](std::size_t n) { return side(n) < 0; });
    if (any_physical && any_numerical) {
      checks.fault(
          "/partition/position_m",
          quoted(model.elements[e].name) + " spans the line; cut at one of its nodes, or divide it into more elements");
      break;
    }
    physical[e] = any_physical;  // an element only on the line (a mass, a link to the ground) is computed
  }
  return physical;
}

/// DOF of the chosen elements, and of the others.
struct Masks {
  std::vector<bool> in_ps, in_ns;
};
Masks masksOf(const Model& model, const std::vector<bool>& physical) {
  Masks masks{std::vector<bool>(model.dofs.size()), std::vector<bool>(model.dofs.size())};
  for (std::size_t e = 0; e < model.elements.size(); ++e)
    for (const Eigen::Index dof : model.elements[e].dofs)
      (physical[e] ? masks.in_ps : masks.in_ns)[static_cast<std::size_t>(dof)] = true;
  return masks;
}

/// Pointer of the fault for a DOF on the wrong side: its own entry if the cut names it.
std::string placeOf(const PartitionSpec& spec, const std::string& name, const std::string& otherwise) {
  if (const auto* elements = std::get_if<CutByElements>(&spec.cut))
    for (std::size_t i = 0; i < elements->physical.size(); ++i)
      if (elements->physical[i] == name) return entry(i);
  return otherwise;
}

/// Faults that prevent the chosen elements from being one side of a cut.
void checkSides(const Model& model, const PartitionSpec& spec, const std::vector<bool>& physical, Checks& checks) {
  const auto any = [](const std::vector<bool>& list) {
    return std::find(list.begin(), list.end(), true) != list.end();
  };
  const std::string where =
      std::holds_alternative<CutByPosition>(spec.cut) ? "/partition/position_m" : "/partition/physical";
  const Masks masks = masksOf(model, physical);
  std::vector<bool> shared(model.dofs.size());
  for (std::size_t i = 0; i < shared.size(); ++i) shared[i] = masks.in_ns[i] && masks.in_ps[i];
  if (!any(masks.in_ps))
    checks.fault(where, "contains nothing that can move; choose elements that can move");
  else if (!any(masks.in_ns))
    checks.fault(where, "contains the whole structure; leave at least one mass for the computed part");
  else if (!any(shared))
    checks.fault(where,
                 "shares no degree of freedom with the computed part, so there is no interface; choose an element "
                 "that ends at a computed one");

  // If a computed element ends at a mass on the rig, its DOF is computed but has no mass.
  std::vector<double> computed_mass(model.dofs.size()), whole_mass(model.dofs.size());
  std::vector<std::vector<Eigen::Index>> pieces;
  for (std::size_t e = 0; e < physical.size(); ++e) {
    const ModelElement& element = model.elements[e];
    if (physical[e]) pieces.push_back(element.dofs);
    for (std::size_t i = 0; i < element.dofs.size(); ++i) {
      const auto dof = static_cast<std::size_t>(element.dofs[i]);
      const double mass = element.m(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i));
      whole_mass[dof] += mass;
      if (!physical[e]) computed_mass[dof] += mass;
    }
    if (physical[e] && element.nonlinear)
      checks.fault(placeOf(spec, element.name, where),
                   quoted(element.name) +
                       " is nonlinear, but the model of the specimen on the rig is linear; assign it to "
                       "the computed part");
  }
  const std::vector<bool> touched = reached(shared, pieces);
  for (std::size_t dof = 0; dof < shared.size(); ++dof) {
    const std::string& name = model.dofs[dof].name;
    if (masks.in_ns[dof] && whole_mass[dof] > 0.0 && !(computed_mass[dof] > 0.0))
      checks.fault(placeOf(spec, name, where),
                   quoted(name) +
                       " is a computed degree of freedom without mass, because a computed element ends there; "
                       "assign this mass to the computed part, or put all its links on the rig");
    else if (masks.in_ps[dof] && !touched[dof] && any(shared)) {
      checks.fault(
          placeOf(spec, name, where),
          quoted(name) + " is on the rig but is not connected to the interface; assign it to the computed part");
      break;  // one name identifies the piece
    }
  }
}

Partition cutElements(const Model& model, const std::vector<bool>& physical) {
  std::vector<bool> numerical = physical;
  numerical.flip();
  const SystemMatrices ns = assembleElements(model, numerical), ps = assembleElements(model, physical);
  SystemMatrices whole = ns;  // the sum of both sides, so that they assemble to it bit for bit
  whole.m += ps.m;
  whole.c += ps.c;
  whole.k += ps.k;
  whole.c_support += ps.c_support;
  whole.k_support += ps.k_support;
  whole.m_support = groundLoad(model, whole.m);
  const Masks masks = masksOf(model, physical);
  Partition partition = join(whole, ns, ps, masks.in_ns, masks.in_ps);
  checkHeld(partition);
  addDamping(model.damping, partition, 0.0);
  finish(partition);
  return partition;
}

/// The elements on the rig; reports faults of a side of a cut.
std::vector<bool> physicalElements(const Model& model, const PartitionSpec& spec, Checks& checks) {
  std::vector<bool> physical = std::visit(
      [&](const auto& how) -> std::vector<bool> {
        if constexpr (requires { choose(model, how, checks); }) return choose(model, how, checks);
        return {};
      },
      spec.cut);
  if (checks.ok()) checkSides(model, spec, physical, checks);
  return physical;
}

}  // namespace

Partition cut(const Model& model, const PartitionSpec& spec) {
  if (!model.damping.specimen_ratios.empty() &&
      (std::holds_alternative<CutByMatrices>(spec.cut) || std::holds_alternative<CutByStoreys>(spec.cut)))
    throw InputError("/structure/damping/specimen_ratios",
                     "apply only to a specimen that is cut off unchanged, but this cut distributes the damping itself; "
                     "remove them, or use another cut (/partition/by)");
  if (const auto* dofs = std::get_if<CutByDofs>(&spec.cut)) return cutDofs(model, *dofs);
  if (const auto* matrices = std::get_if<CutByMatrices>(&spec.cut)) return cutMatrices(model, *matrices);
  if (const auto* storeys = std::get_if<CutByStoreys>(&spec.cut)) return cutStoreys(model, *storeys);
  if (model.matrices)
    throw InputError("/partition/by",
                     "cuts elements, but plain matrices have none; cut by \"dofs\" or by \"matrices\"");
  Checks checks;
  const std::vector<bool> physical = physicalElements(model, spec, checks);
  checks.throwIfAny();
  return cutElements(model, physical);
}

std::vector<bool> elementsOnRig(const Model& model, const PartitionSpec& spec) {
  Checks ignored;
  return std::visit(
      [&](const auto& how) -> std::vector<bool> {
        if constexpr (requires { choose(model, how, ignored); }) return choose(model, how, ignored);
        return std::vector<bool>(model.elements.size());
      },
      spec.cut);
}

std::vector<double> cutPositions(const Model& model, bool along_y) {
  std::vector<double> positions;
  for (const ModelNode& node : model.nodes) positions.push_back(along(node, along_y));
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end(),
                              [](double a, double b) { return b - a <= 1e-9 * (1.0 + std::abs(a)); }),
                  positions.end());
  std::erase_if(positions, [&](double position) {
    Checks checks;
    physicalElements(model, {CutByPosition{along_y, position, true}, {}, {}, {}, {}}, checks);
    return !checks.ok();
  });
  return positions;
}

}  // namespace hyb
