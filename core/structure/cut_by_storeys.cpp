// The lowest storeys of a building and their floors are on the rig.
#include <cmath>

#include "core/base/words.h"
#include "core/structure/cut_by_blocks.h"
#include "core/structure/sides.h"

namespace hyb {
namespace {

using Rows = std::vector<std::vector<double>>;

Rows rowsFrom(const Eigen::MatrixXd& a) {
  Rows rows;
  for (Eigen::Index i = 0; i < a.rows(); ++i) rows.emplace_back(a.row(i).begin(), a.row(i).end());
  return rows;
}

std::vector<std::string> namesFrom(const std::vector<Dof>& dofs, Eigen::Index first, Eigen::Index count) {
  const auto all = names(dofs);
  return {all.begin() + first, all.begin() + first + count};
}

/// Springs (or dashpots) one above the other, the first on the ground.
Eigen::MatrixXd stacked(const Eigen::VectorXd& links) {
  const Eigen::Index n = links.size();
  Eigen::MatrixXd a = links.asDiagonal();
  for (Eigen::Index i = 0; i + 1 < n; ++i) {
    a(i, i) += links[i + 1];
    a(i, i + 1) = a(i + 1, i) = -links[i + 1];
  }
  return a;
}

/// Floors one above the other: each mass on one DOF, springs only between neighbours and to the ground.
bool isStacked(const Eigen::MatrixXd& m, const Eigen::MatrixXd& k) {
  const double slack = 1e-9 * k.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < k.rows(); ++i)
    for (Eigen::Index j = 0; j < k.cols(); ++j) {
      if (i != j && std::abs(m(i, j)) > 1e-9 * m.cwiseAbs().maxCoeff()) return false;
      if (std::abs(i - j) > 1 && std::abs(k(i, j)) > slack) return false;
      if (i == j && i > 0 && std::abs(k.row(i).sum()) > slack) return false;  // no other spring to the ground
    }
  return true;
}

}  // namespace

// Source: D. Araya, MSc thesis, UTFSM 2023, equations 4.8 and 4.9, table 4.6.
Partition cutStoreys(const Model& model, const CutByStoreys& spec) {
  const SystemMatrices whole = assemble(model);
  const Eigen::MatrixXd m = whole.m, c = whole.c, k = whole.k;
  const Eigen::Index n = whole.size(), on_rig = static_cast<Eigen::Index>(spec.physical.size());
  Checks checks;
  if (!isStacked(m, k))
    throw InputError("/partition/by",
                     "is \"storeys\", but this structure is not a stack of floors that are each connected only to the "
                     "floor below; use a shear building, or cut by elements or by matrices");
  if (spec.physical.empty()) checks.fault("/partition/physical", "is empty; name the storeys on the rig");
  if (on_rig >= n)
    checks.fault("/partition/physical", "contains the whole building; leave at least one storey for the computed part");
  for (Eigen::Index i = 0; i < on_rig; ++i) {
    const std::string& name = spec.physical[static_cast<std::size_t>(i)];
    const std::string where = "/partition/physical/" + std::to_string(i);
    const Eigen::Index dof = dofCalled(name, whole.dofs, where, checks);
    if (dof >= 0 && dof != i)
      checks.fault(where, quoted(name) +
                              " is above computed storeys; name the lowest storeys, from the ground "
                              "upwards: here " +
                              quoted(whole.dofs[static_cast<std::size_t>(std::min(i, n - 1))].name));
  }
  checks.throwIfAny();

  Eigen::VectorXd springs(on_rig), dashpots(on_rig);
  for (Eigen::Index i = 0; i < on_rig; ++i) {
    springs[i] = i == 0 ? k(0, 0) + (n > 1 ? k(0, 1) : 0.0) : -k(i - 1, i);
    dashpots[i] = 0.0;
    for (Eigen::Index j = n; j-- > i;) dashpots[i] = c(j, j) - dashpots[i];
    if (dashpots[i] < 0.0)
      checks.fault("/partition/physical/" + std::to_string(i),
                   "has a negative dashpot (" + Checks::text(dashpots[i], "N s/m") +
                       ") as a result of the damping of the whole building; give each storey its own dashpot "
                       "(damping_n_s_per_m), or cut by matrices");
  }
  checks.throwIfAny();
  const Eigen::Index interface = on_rig - 1, computed = n - interface;
  Eigen::MatrixXd mass = m.bottomRightCorner(computed, computed), damping = c.bottomRightCorner(computed, computed),
                  stiffness = k.bottomRightCorner(computed, computed);
  mass(0, 0) = 0.0;
  stiffness(0, 0) = -stiffness(0, 1);
  damping(0, 0) = -damping(0, 1);
  damping.row(0).tail(computed - 2).setZero();

  CutByMatrices halves;
  halves.physical = {namesFrom(whole.dofs, 0, on_rig), rowsFrom(m.topLeftCorner(on_rig, on_rig)),
                     rowsFrom(stacked(dashpots)), rowsFrom(stacked(springs))};
  halves.interface = namesFrom(whole.dofs, interface, 1);
  halves.numerical = CutByMatrices::Side{namesFrom(whole.dofs, interface, computed), rowsFrom(mass), rowsFrom(damping),
                                         rowsFrom(stiffness)};
  return cutMatrices(model, halves);
}

}  // namespace hyb
