#include "core/structure/sides.h"

#include <Eigen/SparseCholesky>
#include <cstdio>
#include <map>

#include "core/error.h"

namespace hyb {
namespace {

std::vector<Eigen::Index> indices(const std::vector<bool>& mask) {
  std::vector<Eigen::Index> chosen;
  for (std::size_t i = 0; i < mask.size(); ++i)
    if (mask[i]) chosen.push_back(static_cast<Eigen::Index>(i));
  return chosen;
}

/// Rows of the identity: picks `dofs` out of n.
SparseMatrix selection(const std::vector<Eigen::Index>& dofs, Eigen::Index n) {
  std::vector<Eigen::Triplet<double>> ones;
  for (std::size_t i = 0; i < dofs.size(); ++i) ones.emplace_back(static_cast<int>(i), static_cast<int>(dofs[i]), 1.0);
  SparseMatrix matrix(static_cast<Eigen::Index>(dofs.size()), n);
  matrix.setFromTriplets(ones.begin(), ones.end());
  return matrix;
}

std::vector<Eigen::Index> placesOf(const SystemMatrices& side, const SystemMatrices& whole) {
  std::map<std::string, Eigen::Index> place;
  for (std::size_t i = 0; i < whole.dofs.size(); ++i) place[whole.dofs[i].name] = static_cast<Eigen::Index>(i);
  std::vector<Eigen::Index> places;
  for (const Dof& dof : side.dofs) places.push_back(place.at(dof.name));
  return places;
}

}  // namespace

SparseMatrix spread(const SparseMatrix& matrix, const SystemMatrices& side, const SystemMatrices& whole) {
  const SparseMatrix pick = selection(placesOf(side, whole), whole.size());
  return SparseMatrix(pick.transpose()) * matrix * pick;
}

SystemMatrices select(const SystemMatrices& whole, const std::vector<Eigen::Index>& dofs) {
  SystemMatrices part;
  std::vector<Eigen::Index> place(whole.dofs.size(), -1);
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

Partition join(const SystemMatrices& whole, const SystemMatrices& numerical, const SystemMatrices& physical,
               const std::vector<bool>& in_ns, const std::vector<bool>& in_ps) {
  Partition partition;
  partition.reference = whole;
  const std::vector<Eigen::Index> ns = indices(in_ns), ps = indices(in_ps);
  partition.numerical = select(numerical, ns);
  partition.physical = select(physical, ps);
  partition.numerical.m_support = whole.m_support(ns, Eigen::all);
  partition.physical.m_support.setZero();
  for (std::size_t i = 0; i < ns.size(); ++i) {
    const auto in = std::find(ps.begin(), ps.end(), ns[i]);
    if (in == ps.end()) continue;
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

void shareDamping(const SparseMatrix& c, Partition& partition) {
  const std::vector<Eigen::Index> ns = placesOf(partition.numerical, partition.reference),
                                  ps = placesOf(partition.physical, partition.reference);
  SparseMatrix of_ps = block(c, ps, ps);
  std::vector<bool> at_interface(static_cast<std::size_t>(of_ps.rows()));
  for (const Eigen::Index i : partition.interface_in_physical) at_interface[static_cast<std::size_t>(i)] = true;
  of_ps.prune([&](Eigen::Index row, Eigen::Index column, double) {
    return !at_interface[static_cast<std::size_t>(row)] || !at_interface[static_cast<std::size_t>(column)];
  });
  partition.physical.c += of_ps;
  partition.numerical.c += block(c, ns, ns);
}

void finish(Partition& partition) {
  const SystemMatrices& whole = partition.reference;
  const auto missing = [&](SparseMatrix SystemMatrices::*matrix) {
    SparseMatrix rest = whole.*matrix - spread(partition.numerical.*matrix, partition.numerical, whole) -
                        spread(partition.physical.*matrix, partition.physical, whole);
    const double scale =
        Eigen::Map<const Eigen::VectorXd>((whole.*matrix).valuePtr(), (whole.*matrix).nonZeros()).cwiseAbs().maxCoeff();
    rest.prune([scale](Eigen::Index, Eigen::Index, double value) { return std::abs(value) > 1e-12 * scale; });
    return rest;
  };
  LeftOut& left = partition.left_out;
  left.m = whole.m.nonZeros() > 0 ? missing(&SystemMatrices::m) : SparseMatrix(whole.size(), whole.size());
  left.c = whole.c.nonZeros() > 0 ? missing(&SystemMatrices::c) : SparseMatrix(whole.size(), whole.size());
  left.k = whole.k.nonZeros() > 0 ? missing(&SystemMatrices::k) : SparseMatrix(whole.size(), whole.size());
  left.remarks.clear();
  const auto remark = [&](const SparseMatrix& matrix, const char* what, const char* unit) {
    for (Eigen::Index j = 0; j < matrix.outerSize(); ++j)
      for (SparseMatrix::InnerIterator it(matrix, j); it; ++it) {
        if (it.row() > it.col() || left.remarks.size() >= 20) continue;
        char text[400];
        std::snprintf(text, sizeof text, "%s between \"%s\" and \"%s\": %.4g %s", what,
                      whole.dofs[static_cast<std::size_t>(it.row())].name.c_str(),
                      whole.dofs[static_cast<std::size_t>(it.col())].name.c_str(), it.value(), unit);
        left.remarks.emplace_back(text);
      }
  };
  remark(left.m, "mass", "kg");
  remark(left.c, "damping", "N s/m");
  remark(left.k, "stiffness", "N/m");

  for (std::size_t s = 0; s < whole.supports.size(); ++s) {
    const auto column = static_cast<Eigen::Index>(s);
    if (!partition.physical.k_support.col(column).isZero(0.0) || !partition.physical.c_support.col(column).isZero(0.0))
      partition.driven_specimen.push_back(whole.supports[s]);
  }
  const std::vector<Eigen::Index> ps = placesOf(partition.physical, whole);
  for (std::size_t i = 0; i < ps.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    const auto& interface = partition.interface_in_physical;
    if (std::find(interface.begin(), interface.end(), at) == interface.end() && whole.m_support.cols() > 0 &&
        !whole.m_support.row(ps[i]).isZero(0.0))
      partition.inner_ground_dofs.push_back(partition.physical.dofs[i].name);
  }
}

}  // namespace hyb
