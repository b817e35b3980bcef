#include <algorithm>

#include "core/base/numbers.h"
#include "core/linalg/sparse.h"
#include "core/stability/condensed_side.h"
#include "core/stability/delay_stability.h"
#include "core/structure/reduction.h"

namespace hyb {
namespace {

constexpr Eigen::Index kFew = 40;  // DOF of a side that is not condensed
constexpr double kBeyond = 10.0;   // clamped modes are kept up to this multiple of the highest frequency

/// Number of clamped modes below a frequency: negative pivots of K - w^2 M inside (Sylvester's law of inertia).
Eigen::Index clampedModesBelow(const SystemMatrices& system, const std::vector<Eigen::Index>& interface,
                               double frequency_hz) {
  std::vector<Eigen::Index> inner;
  for (Eigen::Index dof = 0; dof < system.size(); ++dof)
    if (std::find(interface.begin(), interface.end(), dof) == interface.end()) inner.push_back(dof);
  const double omega = kTwoPi * frequency_hz;
  const SparseMatrix shifted = block(system.k, inner, inner) - omega * omega * block(system.m, inner, inner);
  const linalg::SparseFactors factors(shifted);
  return (factors.pivots().array() < 0.0).count();
}

Reduction reductionOf(const SystemMatrices& side, const std::vector<Eigen::Index>& interface, double highest_hz) {
  if (side.size() <= kFew) return {};
  const Eigen::Index modes = clampedModesBelow(side, interface, kBeyond * highest_hz);
  const Eigen::Index inner = side.size() - static_cast<Eigen::Index>(interface.size());
  if (2 * modes > inner) return {};  // no gain
  return {Reduction::Method::craig_bampton, static_cast<int>(std::max<Eigen::Index>(modes, 1))};
}

/// Both sides assembled without delay.
SystemMatrices assembled(const Partition& cut) {
  const Eigen::Index n = cut.numerical.size();
  std::vector<Eigen::Index> numerical_rows, physical_rows(static_cast<std::size_t>(cut.physical.size()), -1);
  for (Eigen::Index i = 0; i < n; ++i) numerical_rows.push_back(i);
  for (std::size_t i = 0; i < cut.interface.size(); ++i)
    physical_rows[static_cast<std::size_t>(cut.interface_in_physical[i])] = cut.interface_in_numerical[i];
  SystemMatrices whole;
  whole.dofs = cut.numerical.dofs;
  for (std::size_t i = 0; i < physical_rows.size(); ++i)
    if (physical_rows[i] < 0) {
      physical_rows[i] = static_cast<Eigen::Index>(whole.dofs.size());
      whole.dofs.push_back(cut.physical.dofs[i]);
    }
  const auto size = static_cast<Eigen::Index>(whole.dofs.size());
  const auto sum = [&](const SparseMatrix& numerical, const SparseMatrix& physical) {
    std::vector<Eigen::Triplet<double>> entries;
    const auto add = [&](const SparseMatrix& matrix, const std::vector<Eigen::Index>& rows) {
      for (Eigen::Index j = 0; j < matrix.cols(); ++j)
        for (SparseMatrix::InnerIterator it(matrix, j); it; ++it)
          entries.emplace_back(static_cast<int>(rows[static_cast<std::size_t>(it.row())]),
                               static_cast<int>(rows[static_cast<std::size_t>(j)]), it.value());
    };
    add(numerical, numerical_rows);
    add(physical, physical_rows);
    SparseMatrix result(size, size);
    result.setFromTriplets(entries.begin(), entries.end());
    return result;
  };
  whole.m = sum(cut.numerical.m, cut.physical.m);
  whole.c = sum(cut.numerical.c, cut.physical.c);
  whole.k = sum(cut.numerical.k, cut.physical.k);
  return whole;
}

}  // namespace

std::shared_ptr<const CondensedSides> sidesOf(const DelaySystem& system) {
  return system.sides ? system.sides : std::make_shared<const CondensedSides>(system.partition);
}

DelaySystem condensedFor(const DelaySystem& system, double highest_hz) {
  if (system.sides) return system;
  const Partition& cut = system.partition;
  const Reduction numerical = reductionOf(cut.numerical, cut.interface_in_numerical, highest_hz);
  const Reduction physical = reductionOf(cut.physical, cut.interface_in_physical, highest_hz);
  DelaySystem small = system;
  if (numerical.method != Reduction::Method::none || physical.method != Reduction::Method::none) {
    small.partition = reduceSides(cut, numerical, physical);
    small.partition.reference = assembled(small.partition);
  }
  small.sides = std::make_shared<const CondensedSides>(small.partition);
  return small;
}

}  // namespace hyb
