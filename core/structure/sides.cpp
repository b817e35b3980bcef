#include "core/structure/sides.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/base/figure_text.h"
#include "core/base/words.h"
#include "core/linalg/eigen.h"
#include "core/linalg/sparse.h"
#include "core/structure/damping.h"

namespace hyb {
namespace {

using Indices = std::vector<Eigen::Index>;

/// A pivot below this share of its diagonal is rounding: that of a free beam with thousands of elements is 1e-15, that
/// of such a cantilever 1e-11.
constexpr double kZeroPivot = 1e-13;

Indices indices(const std::vector<bool>& mask) {
  Indices chosen;
  for (std::size_t i = 0; i < mask.size(); ++i)
    if (mask[i]) chosen.push_back(static_cast<Eigen::Index>(i));
  return chosen;
}

/// Rows of the identity: picks `dofs` out of n.
SparseMatrix selection(const Indices& dofs, Eigen::Index n) {
  std::vector<Eigen::Triplet<double>> ones;
  for (std::size_t i = 0; i < dofs.size(); ++i) ones.emplace_back(static_cast<int>(i), static_cast<int>(dofs[i]), 1.0);
  SparseMatrix matrix(static_cast<Eigen::Index>(dofs.size()), n);
  matrix.setFromTriplets(ones.begin(), ones.end());
  return matrix;
}

Indices placesOf(const SystemMatrices& side, const SystemMatrices& whole) {
  std::map<std::string, Eigen::Index> place;
  for (std::size_t i = 0; i < whole.dofs.size(); ++i) place[whole.dofs[i].name] = static_cast<Eigen::Index>(i);
  Indices places;
  for (const Dof& dof : side.dofs) places.push_back(place.at(dof.name));
  return places;
}

/// The chosen DOF of a system over all DOF, with their nonlinear links.
SystemMatrices select(const SystemMatrices& whole, const Indices& dofs) {
  SystemMatrices part;
  Indices place(whole.dofs.size(), -1);
  for (std::size_t i = 0; i < dofs.size(); ++i) {
    part.dofs.push_back(whole.dofs[static_cast<std::size_t>(dofs[i])]);
    place[static_cast<std::size_t>(dofs[i])] = static_cast<Eigen::Index>(i);
  }
  part.supports = whole.supports;
  part.m = block(whole.m, dofs, dofs);
  part.c = block(whole.c, dofs, dofs);
  part.k = block(whole.k, dofs, dofs);
  part.m_support = whole.m_support(dofs, Eigen::all);
  part.c_support = whole.c_support(dofs, Eigen::all);
  part.k_support = whole.k_support(dofs, Eigen::all);
  for (NonlinearLink link : whole.nonlinear) {
    for (Eigen::Index* end : {&link.from, &link.to})
      if (*end >= 0) *end = place[static_cast<std::size_t>(*end)];
    part.nonlinear.push_back(std::move(link));
  }
  return part;
}

/// Index of a DOF that moves without force under a semi-definite matrix; -1 if there is none.
Eigen::Index loose(const SparseMatrix& matrix) {
  const Eigen::VectorXd diagonal = matrix.diagonal();
  for (Eigen::Index i = 0; i < diagonal.size(); ++i)
    if (!(diagonal[i] > 0.0)) return i;
  if (diagonal.size() == 0) return -1;
  SparseMatrix shifted = matrix;  // by less than rounding, to avoid a division by an exact zero
  shifted.diagonal() += 1e-15 * diagonal;
  const linalg::SparseFactors factors(shifted);
  if (!factors.regular()) return 0;
  const Eigen::VectorXd pivots = factors.pivots();
  const Eigen::VectorXi dofs = factors.sequence();
  for (Eigen::Index i = 0; i < pivots.size(); ++i)
    if (!(pivots[i] > kZeroPivot * diagonal[dofs[i]])) return dofs[i];
  return -1;
}

/// A_IB A_BB^+ A_BI of a semi-definite matrix; zero if A_BB has a negative part.
Eigen::MatrixXd carried(const SparseMatrix& a, const Indices& interface, const Indices& inner) {
  const auto i = static_cast<Eigen::Index>(interface.size());
  const SparseMatrix coupling = block(a, inner, interface), core = block(a, inner, inner);
  if (coupling.nonZeros() == 0) return Eigen::MatrixXd::Zero(i, i);
  if (loose(core) < 0) {
    const linalg::SparseFactors factors(core);
    return coupling.transpose() * factors.solve(Eigen::MatrixXd(coupling));
  }
  // Each DOF is scaled by its own unit, so that metres and radians have the same weight.
  const Eigen::VectorXd diagonal = core.diagonal();
  const Eigen::VectorXd unit = (diagonal.array() > 0.0).select(diagonal.array().max(1e-300).rsqrt(), 0.0);
  const linalg::SymmetricModes modes =
      linalg::symmetricModes(unit.asDiagonal() * Eigen::MatrixXd(core) * unit.asDiagonal());
  const Eigen::ArrayXd values = modes.values;
  const double largest = values.maxCoeff();
  if (diagonal.minCoeff() < 0.0 || values.minCoeff() < -1e-9 * largest) return Eigen::MatrixXd::Zero(i, i);
  const Eigen::VectorXd inverse = (values > 1e-12 * largest).select(values.max(1e-300).inverse(), 0.0);
  const Eigen::MatrixXd seen = modes.vectors.transpose() * unit.asDiagonal() * Eigen::MatrixXd(coupling);
  return seen.transpose() * inverse.asDiagonal() * seen;
}

/// A symmetric matrix without its negative part; unchanged if that is rounding.
Eigen::MatrixXd positivePart(const Eigen::MatrixXd& a) {
  const Eigen::VectorXd size = a.diagonal().cwiseAbs().cwiseMax(1e-12 * a.cwiseAbs().maxCoeff() + 1e-300).cwiseSqrt();
  const Eigen::MatrixXd scaled = size.cwiseInverse().asDiagonal() * a * size.cwiseInverse().asDiagonal();
  const linalg::SymmetricModes modes = linalg::symmetricModes(scaled);
  if (modes.values.minCoeff() >= -1e-9 * modes.values.cwiseAbs().maxCoeff()) return a;
  const Eigen::MatrixXd shape = size.asDiagonal() * modes.vectors;
  return shape * modes.values.cwiseMax(0.0).asDiagonal() * shape.transpose();
}

/// Matrix that holds the inner DOF of a side: springs, and dampers and nonlinear links scaled to the size of the
/// springs.
SparseMatrix holding(const SystemMatrices& side, const Indices& inner) {
  SparseMatrix all = side.k;
  const double springs = side.k.diagonal().sum() > 0.0 ? side.k.diagonal().sum() : 1.0;
  if (const double dampers = side.c.diagonal().sum(); dampers > 0.0)
    all += 0.5 * springs / dampers * (side.c + SparseMatrix(side.c.transpose()));
  std::vector<Eigen::Triplet<double>> links;
  const double link_stiffness = springs / static_cast<double>(side.dofs.size());
  for (const NonlinearLink& link : side.nonlinear)
    for (const Eigen::Index row : {link.from, link.to})
      for (const Eigen::Index column : {link.from, link.to})
        if (row >= 0 && column >= 0)
          links.emplace_back(static_cast<int>(row), static_cast<int>(column),
                             row == column ? link_stiffness : -link_stiffness);
  SparseMatrix held(side.size(), side.size());
  held.setFromTriplets(links.begin(), links.end());
  return block(all + held, inner, inner);
}

/// reference - numerical - physical without rounding.
SparseMatrix missing(const SparseMatrix& whole, const SparseMatrix& numerical, const SparseMatrix& physical) {
  SparseMatrix rest = whole - numerical - physical;
  const Eigen::VectorXd size = whole.diagonal().cwiseAbs() + Eigen::VectorXd(numerical.diagonal().cwiseAbs()) +
                               Eigen::VectorXd(physical.diagonal().cwiseAbs());
  rest.prune([&](Eigen::Index row, Eigen::Index column, double value) {
    return value * value > 1e-24 * size[row] * size[column];
  });
  return rest;
}

/// One remark for each entry of the matrix, largest first; mirrored entries once.
void remark(const SparseMatrix& matrix, const char* what, const std::array<const char*, 3>& units,
            const std::vector<Dof>& dofs, std::vector<std::string>& remarks) {
  constexpr std::size_t kMost = 20;
  std::vector<Eigen::Triplet<double>> entries;
  for (Eigen::Index j = 0; j < matrix.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(matrix, j); it; ++it)
      if (it.row() <= it.col() || matrix.coeff(it.col(), it.row()) != it.value())
        entries.emplace_back(static_cast<int>(it.row()), static_cast<int>(it.col()), it.value());
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return std::abs(a.value()) > std::abs(b.value()); });
  for (std::size_t e = 0; e < std::min(entries.size(), kMost); ++e) {
    const Dof &row = dofs[static_cast<std::size_t>(entries[e].row())],
              &column = dofs[static_cast<std::size_t>(entries[e].col())];
    const int rotations = (row.motion == Motion::rotation ? 1 : 0) + (column.motion == Motion::rotation ? 1 : 0);
    const std::string place = entries[e].row() == entries[e].col()
                                  ? " of \"" + row.name + "\": "
                                  : " between \"" + row.name + "\" and \"" + column.name + "\": ";
    remarks.push_back(what + place + figureText(entries[e].value(), 4) + ' ' +
                      units[static_cast<std::size_t>(rotations)]);
  }
  if (entries.size() > kMost)
    remarks.push_back(what + (" in " + std::to_string(entries.size() - kMost)) + " more places, each smaller");
}

}  // namespace

Eigen::Index dofCalled(const std::string& name, const std::vector<Dof>& dofs, const std::string& where,
                       Checks& checks) {
  const auto it = std::find_if(dofs.begin(), dofs.end(), [&](const Dof& dof) { return dof.name == name; });
  if (it != dofs.end()) return it - dofs.begin();
  std::string known;
  for (std::size_t i = 0; i < std::min(dofs.size(), std::size_t{8}); ++i)
    known += (i == 0 ? "\"" : ", \"") + dofs[i].name + "\"";
  checks.fault(where, "\"" + name + "\" is not a degree of freedom here. " + hint(name, names(dofs)) + "Known are " +
                          known + (dofs.size() > 8 ? ", ..." : ""));
  return -1;
}

std::string motionText(const Eigen::VectorXd& motion, const std::vector<Dof>& dofs) {
  Eigen::Index largest = 0;
  const double size = motion.cwiseAbs().maxCoeff();
  while (std::abs(motion[largest]) < size * (1.0 - 1e-9)) ++largest;
  std::string text;
  for (Eigen::Index i = 0; i < motion.size(); ++i) {
    const double share = motion[i] / motion[largest];
    if (std::abs(share) < 1e-6) continue;
    text += text.empty() ? (share < 0.0 ? "-" : "") : share < 0.0 ? " - " : " + ";
    if (std::abs(std::abs(share) - 1.0) > 1e-6) text += figureText(std::abs(share), 4) + ' ';
    text += dofs[static_cast<std::size_t>(i)].name;
  }
  return text;
}

std::vector<Eigen::Index> others(const Indices& chosen, Eigen::Index n) {
  std::vector<bool> mask(static_cast<std::size_t>(n), true);
  for (const Eigen::Index i : chosen) mask[static_cast<std::size_t>(i)] = false;
  return indices(mask);
}

std::vector<bool> reached(std::vector<bool> start, const std::vector<Indices>& groups) {
  std::vector<std::vector<std::size_t>> groups_of(start.size());
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const Eigen::Index dof : groups[g]) groups_of[static_cast<std::size_t>(dof)].push_back(g);
  std::vector<bool> done(groups.size());
  Indices front = indices(start);
  while (!front.empty()) {
    const auto dof = static_cast<std::size_t>(front.back());
    front.pop_back();
    for (const std::size_t g : groups_of[dof]) {
      if (done[g]) continue;
      done[g] = true;
      for (const Eigen::Index next : groups[g])
        if (!start[static_cast<std::size_t>(next)]) {
          start[static_cast<std::size_t>(next)] = true;
          front.push_back(next);
        }
    }
  }
  return start;
}

SparseMatrix spread(const SparseMatrix& matrix, const SystemMatrices& side, const SystemMatrices& whole) {
  const SparseMatrix pick = selection(placesOf(side, whole), whole.size());
  return SparseMatrix(pick.transpose()) * matrix * pick;
}

Partition join(const SystemMatrices& whole, const SystemMatrices& numerical, const SystemMatrices& physical,
               const std::vector<bool>& in_ns, const std::vector<bool>& in_ps) {
  Partition partition;
  partition.reference = whole;
  const Indices ns = indices(in_ns), ps = indices(in_ps);
  partition.numerical = select(numerical, ns);
  partition.physical = select(physical, ps);
  partition.numerical.m_support = whole.m_support(ns, Eigen::all);
  partition.physical.m_support.setZero();
  for (std::size_t i = 0; i < ns.size(); ++i) {
    const auto in = std::lower_bound(ps.begin(), ps.end(), ns[i]);
    if (in == ps.end() || *in != ns[i]) continue;
    partition.interface.push_back(partition.numerical.dofs[i]);
    partition.interface_in_reference.push_back(ns[i]);
    partition.interface_in_numerical.push_back(static_cast<Eigen::Index>(i));
    partition.interface_in_physical.push_back(in - ps.begin());
  }
  partition.reference_loads.resize(whole.size(), whole.size());
  partition.reference_loads.setIdentity();
  partition.numerical_loads = selection(ns, whole.size());
  partition.physical_motion = selection(ps, whole.size());
  return partition;
}

Halves halve(const SparseMatrix& a, const Regions& regions, double share) {
  const Indices& interface = regions.interface;
  Eigen::MatrixXd of_ps = carried(a, interface, regions.physical);
  const Eigen::MatrixXd rest =
      Eigen::MatrixXd(block(a, interface, interface)) - of_ps - carried(a, interface, regions.numerical);
  const Eigen::MatrixXd shared = positivePart(rest);
  of_ps += share * shared;
  enum Region : char { inside_ps, at_interface, inside_ns };
  std::vector<Region> region(static_cast<std::size_t>(a.rows()), at_interface);
  for (const Eigen::Index dof : regions.physical) region[static_cast<std::size_t>(dof)] = inside_ps;
  for (const Eigen::Index dof : regions.numerical) region[static_cast<std::size_t>(dof)] = inside_ns;
  const auto without = [&](Region out, bool interface_block) {
    SparseMatrix part = a;
    part.prune([&](Eigen::Index row, Eigen::Index column, double) {
      const Region r = region[static_cast<std::size_t>(row)], c = region[static_cast<std::size_t>(column)];
      return r != out && c != out && (interface_block || r != at_interface || c != at_interface);
    });
    return part;
  };
  const SparseMatrix pick = selection(interface, a.rows());
  const auto at_both = [&](const Eigen::MatrixXd& part) {
    return SparseMatrix(SparseMatrix(pick.transpose()) * SparseMatrix(part.sparseView()) * pick);
  };
  return {without(inside_ps, true) + at_both(shared - rest - of_ps), without(inside_ns, false) + at_both(of_ps)};
}

void addDamping(const DampingSpec& spec, Partition& partition, double share) {
  SystemMatrices &whole = partition.reference, &ns = partition.numerical, &ps = partition.physical;
  if (spec.kind == DampingSpec::Kind::modal) {
    const auto modal = [&](SystemMatrices system) {
      system.c.setZero();
      addDamping(spec, system);
      return system.c;
    };
    if (spec.of_each_part) {
      const SparseMatrix of_ns = modal(ns), of_ps = modal(ps);
      ns.c += of_ns;
      ps.c += of_ps;
      whole.c += spread(of_ns, ns, whole) + spread(of_ps, ps, whole);
      return;
    }
    const Indices in_ns = placesOf(ns, whole), in_ps = placesOf(ps, whole);
    const SparseMatrix c = modal(whole);
    const Halves halves =
        halve(c, {others(in_ns, whole.size()), partition.interface_in_reference, others(in_ps, whole.size())}, share);
    whole.c += c;
    ns.c += block(halves.numerical, in_ns, in_ns);
    ps.c += block(halves.physical, in_ps, in_ps);
  } else if (spec.kind != DampingSpec::Kind::none) {
    const auto [mass_factor, stiffness_factor] = rayleighFactors(spec, whole);
    if (!spec.specimen_ratios.empty()) {
      const SparseMatrix of_ps = clampedModalDamping(spec.specimen_ratios, ps, partition.interface_in_physical),
                         of_ns = mass_factor * ns.m + stiffness_factor * ns.k;
      ns.c += of_ns;
      ps.c += of_ps;
      whole.c += spread(of_ns, ns, whole) + spread(of_ps, ps, whole);
      return;
    }
    for (SystemMatrices* part : {&whole, &ns, &ps}) part->c += mass_factor * part->m + stiffness_factor * part->k;
  }
}

void checkHeld(const Partition& partition) {
  Checks checks;
  const auto hold = [&](const SystemMatrices& side, const Indices& interface, const char* what) {
    const Indices inner = others(interface, side.size());
    if (const Eigen::Index dof = loose(holding(side, inner)); dof >= 0)
      checks.fault("/partition", "\"" + side.dofs[static_cast<std::size_t>(inner[static_cast<std::size_t>(dof)])].name +
                                     "\" in the " + what +
                                     " floats when the interface is held; connect it to the interface or a support");
  };
  hold(partition.numerical, partition.interface_in_numerical, "computed part");
  hold(partition.physical, partition.interface_in_physical, "part on the rig");

  const SystemMatrices& ps = partition.physical;
  const SparseMatrix all =
      SparseMatrix(ps.m.cwiseAbs()) + SparseMatrix(ps.c.cwiseAbs()) + SparseMatrix(ps.k.cwiseAbs());
  std::vector<Indices> columns(ps.dofs.size());
  for (Eigen::Index j = 0; j < all.cols(); ++j) {
    columns[static_cast<std::size_t>(j)].push_back(j);
    for (SparseMatrix::InnerIterator it(all, j); it; ++it)
      if (it.value() > 0.0) columns[static_cast<std::size_t>(j)].push_back(it.row());
  }
  std::vector<bool> start(ps.dofs.size());
  for (const Eigen::Index i : partition.interface_in_physical) start[static_cast<std::size_t>(i)] = true;
  const std::vector<bool> touched = reached(std::move(start), columns);
  if (const auto apart = std::find(touched.begin(), touched.end(), false); apart != touched.end())
    checks.fault("/partition", "\"" + ps.dofs[static_cast<std::size_t>(apart - touched.begin())].name +
                                   "\" is on the rig but is not connected to the interface; assign it to the computed "
                                   "part, or put its connection to the interface on the rig");
  checks.throwIfAny();
}

void finish(Partition& partition) {
  const SystemMatrices& whole = partition.reference;
  const auto rest = [&](SparseMatrix SystemMatrices::*matrix) {
    return missing(whole.*matrix, spread(partition.numerical.*matrix, partition.numerical, whole),
                   spread(partition.physical.*matrix, partition.physical, whole));
  };
  LeftOut& left = partition.left_out;
  left = {rest(&SystemMatrices::m), rest(&SystemMatrices::c), rest(&SystemMatrices::k), {}};
  remark(left.m, "mass", {"kg", "kg m", "kg m^2"}, whole.dofs, left.remarks);
  remark(left.c, "damping", {"N s/m", "N s/rad", "N m s/rad"}, whole.dofs, left.remarks);
  remark(left.k, "stiffness", {"N/m", "N/rad", "N m/rad"}, whole.dofs, left.remarks);

  const SystemMatrices& ps = partition.physical;
  partition.driven_specimen.clear();
  for (std::size_t s = 0; s < whole.supports.size(); ++s) {
    const auto column = static_cast<Eigen::Index>(s);
    if (!ps.k_support.col(column).isZero(0.0) || !ps.c_support.col(column).isZero(0.0))
      partition.driven_specimen.push_back(whole.supports[s]);
  }
  partition.inner_ground_dofs.clear();
  const Indices places = placesOf(ps, whole);
  for (const Eigen::Index i : others(partition.interface_in_physical, ps.size()))
    if (!whole.m_support.row(places[static_cast<std::size_t>(i)]).isZero(0.0))
      partition.inner_ground_dofs.push_back(ps.dofs[static_cast<std::size_t>(i)].name);
}

}  // namespace hyb
