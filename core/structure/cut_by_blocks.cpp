#include "core/structure/cut_by_blocks.h"

#include <algorithm>
#include <cmath>

#include "core/base/words.h"
#include "core/linalg/eigen.h"
#include "core/structure/sides.h"
#include "core/structure/symmetric_part.h"

namespace hyb {
namespace {

using Indices = std::vector<Eigen::Index>;
using Mask = std::vector<bool>;

std::size_t at(Eigen::Index i) { return static_cast<std::size_t>(i); }

Mask maskOf(const Indices& dofs, std::size_t n) {
  Mask mask(n);
  for (const Eigen::Index dof : dofs) mask[at(dof)] = true;
  return mask;
}

/// Places of named DOF; faults for unknown names and those in `taken`, which it extends.
Indices placesOf(const std::vector<std::string>& names, const std::vector<Dof>& dofs, const std::string& where,
                 Mask& taken, Checks& checks) {
  Indices places;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string pointer = where + "/" + std::to_string(i);
    const Eigen::Index dof = dofCalled(names[i], dofs, pointer, checks);
    if (dof < 0) continue;
    if (taken[at(dof)])
      checks.fault(pointer, quoted(names[i]) + " is given twice; remove one");
    else
      places.push_back(dof);
    taken[at(dof)] = true;
  }
  return places;
}

/// Distributes the loads of moving supports and the nonlinear links: those that end inside the PS are physical, the
/// rest is computed.
void shareSupports(const Mask& in_ns, SystemMatrices& ns, SystemMatrices& ps, Checks& checks) {
  for (std::size_t i = 0; i < in_ns.size(); ++i) {
    SystemMatrices& without = in_ns[i] ? ps : ns;
    without.c_support.row(static_cast<Eigen::Index>(i)).setZero();
    without.k_support.row(static_cast<Eigen::Index>(i)).setZero();
  }
  ps.nonlinear.clear();
  for (const NonlinearLink& link : ns.nonlinear)
    for (const Eigen::Index end : {link.from, link.to})
      if (end >= 0 && !in_ns[at(end)])
        checks.fault("/partition/physical",
                     quoted(link.name) +
                         " is nonlinear and ends inside the specimen, whose model is linear; move its ends to the "
                         "computed part or the interface");
}

/// Refuses couplings between inner DOF of both sides; reports the largest, relative to the stiffness (or mass) that
/// holds them.
void refuseCoupling(const SparseMatrix& a, const Regions& regions, const std::vector<Dof>& dofs, const char* what,
                    Checks& checks) {
  const Eigen::VectorXd size = a.diagonal().cwiseAbs().cwiseSqrt();
  const SparseMatrix across = block(a, regions.physical, regions.numerical);
  double worst = 1e-12;
  Eigen::Index j = -1, n = -1;
  for (Eigen::Index column = 0; column < across.outerSize(); ++column)
    for (SparseMatrix::InnerIterator it(across, column); it; ++it) {
      const Eigen::Index row_dof = regions.physical[at(it.row())], column_dof = regions.numerical[at(column)];
      const double scale = size[row_dof] * size[column_dof];
      const double share = std::abs(it.value()) / std::max(scale, 1e-300);
      if (it.value() == 0.0 || share <= worst) continue;
      worst = share;
      j = row_dof;
      n = column_dof;
    }
  if (j >= 0)
    checks.fault("/partition/interface", quoted(dofs[at(j)].name) + " inside the specimen and " +
                                             quoted(dofs[at(n)].name) + " inside the computed part share " + what +
                                             "; add one of them to the interface");
}

/// Matrices of one side in the DOF of the reference; [n, n].
struct GivenSide {
  Indices dofs;
  SparseMatrix m, c, k;
};

/// A local matrix over the DOF of the reference.
class SideReader {
 public:
  SideReader(const CutByMatrices::Side& side, std::string where, const std::vector<Dof>& reference, Checks& checks)
      : side_(side), where_(std::move(where)), reference_(reference), checks_(checks) {}

  GivenSide read(bool definite) {
    GivenSide given;
    Mask taken(reference_.size());
    if (side_.dofs.empty()) checks_.fault(where_ + "/dofs", "is empty; name the degrees of freedom of the matrices");
    given.dofs = placesOf(side_.dofs, reference_, where_ + "/dofs", taken, checks_);
    if (given.dofs.size() != side_.dofs.size()) return given;
    given.m = spread(matrix(side_.m, "/m", true, definite ? "mass" : nullptr), given.dofs);
    given.c = spread(matrix(side_.c, "/c", false, nullptr), given.dofs);
    given.k = spread(matrix(side_.k, "/k", true, definite ? "stiffness" : nullptr), given.dofs);
    return given;
  }

 private:
  /// Checked: square, finite, symmetric if required, without negative `quantity` if required.
  Eigen::MatrixXd matrix(const std::vector<std::vector<double>>& rows, const std::string& key, bool symmetric,
                         const char* quantity) {
    const std::size_t d = side_.dofs.size();
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(d), static_cast<Eigen::Index>(d));
    if (rows.empty()) return a;
    const std::string pointer = where_ + key, rule = "; needs " + std::to_string(d) + ", one for each name in dofs";
    if (rows.size() != d) {
      checks_.fault(pointer, "has " + std::to_string(rows.size()) + " rows" + rule);
      return a;
    }
    bool good = true;
    for (std::size_t i = 0; i < d; ++i) {
      const std::string row = pointer + "/" + std::to_string(i);
      if (rows[i].size() != d) {
        checks_.fault(row, "has " + std::to_string(rows[i].size()) + " columns" + rule);
        good = false;
        continue;
      }
      for (std::size_t j = 0; j < d; ++j) {
        a(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = rows[i][j];
        if (std::isfinite(rows[i][j])) continue;
        checks_.fault(row + "/" + std::to_string(j), "is not finite; give a number");
        good = false;
      }
    }
    if (!good || !symmetric) return a;
    if (const Asymmetry found = asymmetryOf(a.sparseView()); !found.allowed) {
      const Eigen::Index i = std::max(found.row, found.column), j = std::min(found.row, found.column);
      checks_.fault(pointer + "/" + std::to_string(i) + "/" + std::to_string(j),
                    "is " + Checks::text(a(i, j), "") + ", but " + Checks::text(a(j, i), "") +
                        " on the other side of the diagonal; make the matrix symmetric");
      return a;
    }
    a = 0.5 * (a + a.transpose()).eval();
    if (quantity) refuseNegative(a, pointer, quantity);
    return a;
  }

  void refuseNegative(const Eigen::MatrixXd& a, const std::string& pointer, const char* quantity) {
    // Each DOF is scaled by its own unit, so that metres and radians have the same weight.
    const Eigen::VectorXd diagonal = a.diagonal().cwiseAbs();
    const Eigen::VectorXd unit = (diagonal.array() > 0.0).select(diagonal.array().max(1e-300).rsqrt(), 1.0);
    const linalg::SymmetricModes modes = linalg::symmetricModes(unit.asDiagonal() * a * unit.asDiagonal());
    if (modes.values[0] >= -1e-9 * modes.values.cwiseAbs().maxCoeff()) return;
    std::vector<Dof> dofs;
    for (const std::string& name : side_.dofs) dofs.push_back({name, Motion::translation});
    checks_.fault(pointer, "leads to a negative " + std::string(quantity) + " along " +
                               motionText(unit.asDiagonal() * modes.vectors.col(0), dofs) + "; correct the entries");
  }

  SparseMatrix spread(const Eigen::MatrixXd& a, const Indices& places) const {
    std::vector<Eigen::Triplet<double>> entries;
    for (Eigen::Index i = 0; i < a.rows(); ++i)
      for (Eigen::Index j = 0; j < a.cols(); ++j)
        if (a(i, j) != 0.0)
          entries.emplace_back(static_cast<int>(places[at(i)]), static_cast<int>(places[at(j)]), a(i, j));
    const auto n = static_cast<Eigen::Index>(reference_.size());
    SparseMatrix matrix(n, n);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
  }

  const CutByMatrices::Side& side_;
  std::string where_;
  const std::vector<Dof>& reference_;
  Checks& checks_;
};

/// Orders the interface DOF as written in the cut, which is the order of actuators and channels.
void orderInterface(const std::vector<std::string>& written, Partition& partition) {
  if (written.empty()) return;
  const Partition sorted = partition;
  std::size_t next = 0;
  for (const std::string& name : written)
    for (std::size_t i = 0; i < sorted.interface.size(); ++i) {
      if (sorted.interface[i].name != name) continue;
      partition.interface[next] = sorted.interface[i];
      for (const auto list :
           {&Partition::interface_in_reference, &Partition::interface_in_numerical, &Partition::interface_in_physical})
        (partition.*list)[next] = (sorted.*list)[i];
      ++next;
    }
}

/// DOF with an entry that exceeds the rounding errors of the reference.
Mask touched(const SparseMatrix& a, const SparseMatrix& reference) {
  Mask mask(at(a.rows()));
  const Eigen::VectorXd size = reference.diagonal().cwiseAbs().cwiseSqrt();
  for (Eigen::Index j = 0; j < a.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(a, j); it; ++it)
      if (std::abs(it.value()) > 1e-12 * size[it.row()] * size[j]) mask[at(it.row())] = mask[at(j)] = true;
  return mask;
}

/// Refuses a reference that becomes negative somewhere without the PS.
void refuseExcess(const SparseMatrix& rest, const SparseMatrix& physical, const SparseMatrix& reference,
                  const std::vector<Dof>& dofs, const GivenSide& ps, const std::string& where, const char* what,
                  Checks& checks) {
  for (std::size_t i = 0; i < ps.dofs.size(); ++i) {
    const Eigen::Index dof = ps.dofs[i];
    const double whole = reference.coeff(dof, dof);
    if (rest.coeff(dof, dof) >= -1e-9 * whole) continue;
    checks.fault(where + "/" + std::to_string(i) + "/" + std::to_string(i),
                 "gives " + quoted(dofs[at(dof)].name) + " more " + what + " (" +
                     Checks::text(physical.coeff(dof, dof), "") + ") than the structure has (" +
                     Checks::text(whole, "") + "); lower it, or also give the matrices of the numerical part");
  }
}

}  // namespace

Partition cutDofs(const Model& model, const CutByDofs& spec) {
  Model undamped = model;
  undamped.damping = {};
  const SystemMatrices whole = assemble(undamped);
  const std::size_t n = whole.dofs.size();
  Checks checks;
  Mask taken(n);
  Regions regions;
  regions.physical = placesOf(spec.physical, whole.dofs, "/partition/physical", taken, checks);
  regions.interface = placesOf(spec.interface, whole.dofs, "/partition/interface", taken, checks);
  if (spec.physical.empty())
    checks.fault("/partition/physical", "is empty; name the degrees of freedom inside the specimen");
  if (spec.interface.empty())
    checks.fault("/partition/interface", "is empty; name the degrees of freedom that both sides share");
  checks.between("/partition/share", spec.share, 0.0, 1.0, "");
  checks.throwIfAny();
  for (std::size_t i = 0; i < n; ++i)
    if (!taken[i]) regions.numerical.push_back(static_cast<Eigen::Index>(i));
  refuseCoupling(whole.k, regions, whole.dofs, "stiffness", checks);
  refuseCoupling(whole.m, regions, whole.dofs, "mass", checks);

  Mask in_ns = maskOf(regions.physical, n), in_ps = maskOf(regions.numerical, n);
  in_ns.flip();
  in_ps.flip();
  SystemMatrices ns = whole, ps = whole;
  shareSupports(in_ns, ns, ps, checks);
  checks.throwIfAny();
  for (const auto matrix : {&SystemMatrices::m, &SystemMatrices::c, &SystemMatrices::k}) {
    const Halves halves = halve(whole.*matrix, regions, spec.share);
    ns.*matrix = halves.numerical;
    ps.*matrix = halves.physical;
  }
  Partition partition = join(whole, ns, ps, in_ns, in_ps);
  checkHeld(partition);
  addDamping(model.damping, partition, spec.share);
  finish(partition);
  orderInterface(spec.interface, partition);
  return partition;
}

Partition cutMatrices(const Model& model, const CutByMatrices& spec) {
  const SystemMatrices whole = assemble(model);
  const std::size_t n = whole.dofs.size();
  Checks checks;
  const GivenSide given_ps = SideReader(spec.physical, "/partition/physical", whole.dofs, checks).read(true);
  GivenSide given_ns;
  if (spec.numerical) given_ns = SideReader(*spec.numerical, "/partition/numerical", whole.dofs, checks).read(false);
  GivenSide removed = given_ps;
  if (spec.removed) removed = SideReader(*spec.removed, "/partition/removed", whole.dofs, checks).read(true);
  if (spec.removed && spec.numerical)
    checks.fault("/partition/removed", "and /partition/numerical both describe the numerical part; remove one of them");
  Mask taken(n);
  const Indices named = placesOf(spec.interface, whole.dofs, "/partition/interface", taken, checks);
  checks.throwIfAny();

  SystemMatrices ns = whole, ps = whole;
  const Mask in_ps = maskOf(given_ps.dofs, n);
  Mask in_ns = maskOf(given_ps.dofs, n);
  in_ns.flip();
  if (spec.numerical) {
    ns.m = given_ns.m;
    ns.c = given_ns.c;
    ns.k = given_ns.k;
    const Mask named_ns = maskOf(given_ns.dofs, n);
    for (std::size_t i = 0; i < n; ++i)
      if (in_ns[i] && !named_ns[i])
        checks.fault("/partition/numerical/dofs",
                     "assigns " + quoted(whole.dofs[i].name) + " to no side; add it here or to the physical part");
  } else {
    ns.m = whole.m - removed.m;
    ns.c = whole.c - removed.c;
    ns.k = whole.k - removed.k;
  }
  ps.m = given_ps.m;
  ps.c = given_ps.c;
  ps.k = given_ps.k;

  // Damping of the whole structure couples all DOF; it does not assign a DOF to the rest.
  const Mask mass = touched(ns.m, whole.m), stiffness = touched(ns.k, whole.k),
             damping = spec.numerical ? touched(ns.c, SparseMatrix(whole.c.rows(), whole.c.cols())) : Mask(n);
  Mask shared = maskOf(named, n);
  for (std::size_t i = 0; i < named.size(); ++i)
    if (!in_ps[at(named[i])])
      checks.fault("/partition/interface/" + std::to_string(i),
                   quoted(spec.interface[i]) + " is not a degree of freedom of the physical part; add it there too");
  for (const Eigen::Index dof : given_ps.dofs) {
    const bool both = mass[at(dof)] || stiffness[at(dof)] || damping[at(dof)];
    if (spec.interface.empty())
      shared[at(dof)] = both;
    else if (spec.numerical && both && !shared[at(dof)])
      checks.fault("/partition/interface",
                   "does not contain " + quoted(whole.dofs[at(dof)].name) + ", which belongs to both sides; add it");
  }
  for (std::size_t i = 0; i < n; ++i) in_ns[i] = in_ns[i] || (shared[i] && in_ps[i]);
  if (std::find(shared.begin(), shared.end(), true) == shared.end())
    checks.fault("/partition/interface",
                 "is empty: the physical and the computed part share no degree of freedom; "
                 "name those of the interface");
  if (!spec.numerical) {
    const std::string where = spec.removed ? "/partition/removed/" : "/partition/physical/";
    refuseExcess(ns.m, removed.m, whole.m, whole.dofs, removed, where + "m", "mass", checks);
    refuseExcess(ns.k, removed.k, whole.k, whole.dofs, removed, where + "k", "stiffness", checks);
  }
  shareSupports(in_ns, ns, ps, checks);
  checks.throwIfAny();
  Partition partition = join(whole, ns, ps, in_ns, in_ps);
  if (spec.removed) {  // the removed part takes its ground load with it
    const Eigen::MatrixXd loads = ns.m * model.influence;
    for (Eigen::Index row = 0, dof = 0; dof < static_cast<Eigen::Index>(n); ++dof)
      if (in_ns[at(dof)]) partition.numerical.m_support.row(row++) = -loads.row(dof);
  }
  checkHeld(partition);
  finish(partition);
  orderInterface(spec.interface, partition);
  return partition;
}

}  // namespace hyb
