#include "core/structure/partition.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "core/error.h"
#include "core/structure/cut_by_blocks.h"
#include "core/structure/damping.h"
#include "core/structure/sides.h"

namespace hyb {
namespace {

std::string quoted(const std::string& name) { return "\"" + name + "\""; }
std::string entry(std::size_t i) { return "/partition/physical/" + std::to_string(i); }

/// Elements that a name of CutByElements stands for: one, all of a member, or a range "member/3-8" of its pieces.
std::vector<std::size_t> elementsCalled(const Model& model, const std::string& name) {
  std::vector<std::size_t> found;
  for (std::size_t e = 0; e < model.elements.size(); ++e)
    if (model.elements[e].name == name || model.elements[e].member == name) found.push_back(e);
  const std::size_t slash = name.rfind('/'), dash = name.rfind('-');
  if (!found.empty() || slash == std::string::npos || dash == std::string::npos || dash < slash) return found;
  int first = 0, last = 0;
  const char *text = name.data(), *end = text + name.size();
  if (std::from_chars(text + slash + 1, text + dash, first).ptr != text + dash ||
      std::from_chars(text + dash + 1, end, last).ptr != end)
    return found;
  const std::string member = name.substr(0, slash + 1);
  for (std::size_t e = 0; e < model.elements.size(); ++e) {
    const std::string& full = model.elements[e].name;
    int piece = 0;
    if (!full.starts_with(member)) continue;
    const char* tail = full.data() + member.size();
    if (std::from_chars(tail, full.data() + full.size(), piece).ptr == full.data() + full.size() && piece >= first &&
        piece <= last)
      found.push_back(e);
  }
  return found;
}

std::vector<bool> choose(const Model& model, const CutByElements& spec, std::vector<Issue>& issues) {
  std::vector<bool> physical(model.elements.size());
  if (spec.physical.empty())
    issues.push_back({"/partition/physical", "is empty; name the masses and links that stand on the rig"});
  for (std::size_t i = 0; i < spec.physical.size(); ++i) {
    const std::string& name = spec.physical[i];
    const auto here = spec.physical.begin() + static_cast<std::ptrdiff_t>(i);
    const std::vector<std::size_t> elements = elementsCalled(model, name);
    if (std::find(spec.physical.begin(), here, name) != here)
      issues.push_back({entry(i), quoted(name) + " is given twice; remove one"});
    else if (std::find(model.supports.begin(), model.supports.end(), name) != model.supports.end())
      issues.push_back({entry(i), quoted(name) + " is a support; only masses and links can stand on the rig"});
    else if (elements.empty())
      issues.push_back({entry(i), quoted(name) + " is no mass or link of the structure; use the name of one"});
    for (const std::size_t e : elements) physical[e] = true;
  }
  return physical;
}

std::vector<bool> choose(const Model& model, const CutByNodes& spec, std::vector<Issue>& issues) {
  std::vector<bool> on_rig(model.nodes.size()), physical(model.elements.size());
  if (spec.physical.empty())
    issues.push_back({"/partition/physical", "is empty; name the nodes that stand on the rig"});
  for (std::size_t i = 0; i < spec.physical.size(); ++i) {
    const std::string& name = spec.physical[i];
    const auto node =
        std::find_if(model.nodes.begin(), model.nodes.end(), [&](const auto& n) { return n.name == name; });
    if (node == model.nodes.end())
      issues.push_back({entry(i), quoted(name) + " is no node of the structure; use the name of one"});
    else if (auto chosen = on_rig[static_cast<std::size_t>(node - model.nodes.begin())]; chosen)
      issues.push_back({entry(i), quoted(name) + " is given twice; remove one"});
    else
      chosen = true;
  }
  for (std::size_t e = 0; e < physical.size(); ++e) {
    const std::vector<std::size_t>& nodes = model.elements[e].nodes;
    physical[e] = std::all_of(nodes.begin(), nodes.end(), [&](std::size_t node) { return on_rig[node]; });
  }
  return physical;
}

double along(const ModelNode& node, bool along_y) { return along_y ? node.y_m : node.x_m; }

std::vector<bool> choose(const Model& model, const CutByPosition& spec, std::vector<Issue>& issues) {
  std::vector<bool> physical(model.elements.size());
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
      issues.push_back({"/partition/position_m", quoted(model.elements[e].name) +
                                                     " spans the line; cut at a node of it, or give it more elements"});
      break;
    }
    physical[e] = any_physical;  // what stands on the line alone (a mass, a link to the ground) is computed
  }
  return physical;
}

/// Names what keeps the two masks from being a cut.
void checkSides(const Model& model, const PartitionSpec& spec, const std::vector<bool>& physical,
                const std::vector<bool>& in_ns, const std::vector<bool>& in_ps, std::vector<Issue>& issues) {
  const auto any = [](const std::vector<bool>& list) {
    return std::find(list.begin(), list.end(), true) != list.end();
  };
  const bool by_position = std::holds_alternative<CutByPosition>(spec.cut);
  const std::string where = by_position ? "/partition/position_m" : "/partition/physical";
  bool shared = false;
  for (std::size_t i = 0; i < in_ns.size(); ++i) shared = shared || (in_ns[i] && in_ps[i]);
  if (!any(in_ps))
    issues.push_back({where, "leaves nothing on the rig; choose elements that can move"});
  else if (!any(in_ns))
    issues.push_back({where, "takes the whole structure; leave at least one mass to be computed"});
  else if (!shared)
    issues.push_back({where,
                      "shares no mass with the computed part, so nothing is left to couple; choose a link that "
                      "ends at a computed mass"});

  // A mass on the rig where something computed ends would leave a computed DOF without mass.
  std::vector<double> computed_mass(model.dofs.size()), whole_mass(model.dofs.size());
  for (std::size_t e = 0; e < physical.size(); ++e) {
    const ModelElement& element = model.elements[e];
    for (std::size_t i = 0; i < element.dofs.size(); ++i) {
      const auto dof = static_cast<std::size_t>(element.dofs[i]);
      const double mass = element.m(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i));
      whole_mass[dof] += mass;
      if (!physical[e]) computed_mass[dof] += mass;
    }
  }
  for (std::size_t dof = 0; dof < in_ns.size(); ++dof) {
    if (!in_ns[dof] || whole_mass[dof] == 0.0 || computed_mass[dof] > 0.0) continue;
    std::string place = where;
    if (const auto* elements = std::get_if<CutByElements>(&spec.cut))
      for (std::size_t i = 0; i < elements->physical.size(); ++i)
        if (elements->physical[i] == model.dofs[dof].name) place = entry(i);
    issues.push_back({place, quoted(model.dofs[dof].name) +
                                 " would be a computed degree of freedom without mass, because a "
                                 "computed link ends there; leave this mass to the computed part, or put all its "
                                 "links on the rig"});
  }
}

/// Damping that is no element's: of the uncut structure, or of each side by itself.
void addDamping(const Model& model, Partition& partition) {
  const DampingSpec& spec = model.damping;
  if (spec.kind == DampingSpec::Kind::modal && spec.of_each_part) {
    for (SystemMatrices* side : {&partition.numerical, &partition.physical}) hyb::addDamping(spec, *side);
    partition.reference.c = spread(partition.numerical.c, partition.numerical, partition.reference) +
                            spread(partition.physical.c, partition.physical, partition.reference);
  } else if (spec.kind == DampingSpec::Kind::modal) {
    SystemMatrices whole = partition.reference;
    whole.c.setZero();
    hyb::addDamping(spec, whole);
    partition.reference.c += whole.c;
    shareDamping(whole.c, partition);
  } else if (spec.kind != DampingSpec::Kind::none) {
    const auto [mass_factor, stiffness_factor] = rayleighFactors(spec, partition.reference);
    for (SystemMatrices* part : {&partition.reference, &partition.numerical, &partition.physical})
      part->c += mass_factor * part->m + stiffness_factor * part->k;
  }
}

Partition cutElements(const Model& model, const PartitionSpec& spec) {
  std::vector<Issue> issues;
  const std::vector<bool> physical = std::visit(
      [&](const auto& how) -> std::vector<bool> {
        if constexpr (requires { choose(model, how, issues); }) return choose(model, how, issues);
        return {};
      },
      spec.cut);
  std::vector<bool> in_ns(model.dofs.size()), in_ps(model.dofs.size());
  for (std::size_t e = 0; e < model.elements.size(); ++e)
    for (const Eigen::Index dof : model.elements[e].dofs)
      (physical[e] ? in_ps : in_ns)[static_cast<std::size_t>(dof)] = true;
  if (issues.empty()) checkSides(model, spec, physical, in_ns, in_ps, issues);
  std::vector<bool> numerical = physical;
  numerical.flip();
  const SystemMatrices ns = assembleElements(model, numerical), ps = assembleElements(model, physical);
  for (const NonlinearLink& link : ps.nonlinear)
    issues.push_back(
        {"/partition", quoted(link.name) +
                           " is nonlinear and would stand on the rig; the model of the specimen is linear, "
                           "so leave it to the computed part"});
  if (!issues.empty()) throw InputError(std::move(issues));

  SystemMatrices whole = ns;  // the sum of both sides, so that they assemble back bit for bit
  whole.m += ps.m;
  whole.c += ps.c;
  whole.k += ps.k;
  whole.c_support += ps.c_support;
  whole.k_support += ps.k_support;
  whole.m_support = -(whole.m * model.influence);
  Partition partition = join(whole, ns, ps, in_ns, in_ps);
  addDamping(model, partition);
  finish(partition);
  return partition;
}

}  // namespace

Partition cut(const Model& model, const PartitionSpec& spec) {
  if (const auto* dofs = std::get_if<CutByDofs>(&spec.cut)) return cutDofs(model, *dofs);
  if (const auto* matrices = std::get_if<CutByMatrices>(&spec.cut)) return cutMatrices(model, *matrices);
  if (model.matrices)
    throw InputError("/partition/by",
                     "cuts elements, but plain matrices have none; cut by \"dofs\" or by \"matrices\"");
  return cutElements(model, spec);
}

std::vector<double> cutPositions(const Model& model, bool along_y) {
  std::vector<double> positions;
  for (const ModelNode& node : model.nodes) positions.push_back(along(node, along_y));
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end(),
                              [](double a, double b) { return b - a <= 1e-9 * (1.0 + std::abs(a)); }),
                  positions.end());
  std::erase_if(positions, [&](double position) {
    try {
      cut(model, {CutByPosition{along_y, position, true}, {}, {}, {}, {}});
      return false;
    } catch (const InputError&) {
      return true;
    }
  });
  return positions;
}

}  // namespace hyb
