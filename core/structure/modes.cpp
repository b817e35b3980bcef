#include "core/structure/modes.h"

#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/linalg/dense.h"
#include "core/linalg/eigen.h"
#include "core/linalg/sparse.h"

namespace hyb {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kMasslessMotion = 1e-10;  // mass of a motion without any, with the diagonal scaled to 1
constexpr Index kDenseLimit = 300;         // below this size, computing all modes at once is faster

Modes withDamping(const SystemMatrices& system, const VectorXd& square, MatrixXd shape) {
  const Eigen::ArrayXd omega = square.array().max(0.0).sqrt();  // rounding can lead to -0 for a free body
  Modes result;
  result.shape = std::move(shape);
  result.frequency_hz = omega / kTwoPi;
  const MatrixXd damped = system.c * result.shape;
  const Eigen::ArrayXd modal_damping = (result.shape.array() * damped.array()).colwise().sum();
  result.damping_ratio = (omega > 0.0).select(modal_damping / (2.0 * omega), 0.0);
  return result;
}

/// Eigenvalues of K - square M below `square`, from the signs of its pivots (Sylvester's law of inertia).
Index countBelow(const SystemMatrices& system, double square) {
  for (double nudge = 1.0; nudge < 1.001; nudge += 1e-4) {  // at an eigenvalue there is no factorisation
    const linalg::SparseFactors factors(system.k - square * nudge * system.m);
    if (factors.regular()) return (factors.pivots().array() < 0.0).count();
  }
  return -1;
}

/// A squared frequency with slightly more than `count` eigenvalues below it.
double squareAbove(const SystemMatrices& system, Index count) {
  double high = system.k.diagonal().sum() / system.m.diagonal().sum();
  while (countBelow(system, high) < count && high < 1e300) high *= 100.0;
  double low = high;
  const double least = 1e-16 * high;  // rigid-body modes are below any squared frequency
  while (low > least && countBelow(system, low) >= count) {
    high = low;
    low *= 0.01;
  }
  for (int i = 0; i < 30 && countBelow(system, high) > 2 * count + 2; ++i) {
    const double middle = std::sqrt(low * high);
    (countBelow(system, middle) >= count ? high : low) = middle;
  }
  return high;
}

/// The lowest `count` by Lanczos iteration on (K - shift M)^-1 M; nothing if it missed one or did not converge.
/// Eigenvalues below the square `rounding` cannot be counted.
std::optional<Modes> lanczos(const SystemMatrices& system, Index count, Index basis, double shift, double rounding) {
  std::optional<linalg::SymmetricModes> found = linalg::modesNear(system.k, system.m, shift, count, basis);
  if (!found) return {};
  const VectorXd& square = found->values;
  const double last = square[count - 1] * (1.0 - 1e-6);  // equal eigenvalues may continue after the last
  if (last > rounding && countBelow(system, last) != (square.array() < last).count()) return {};
  MatrixXd shape = std::move(found->vectors);
  for (Index i = 0; i < count; ++i) {
    const VectorXd weighted = system.m * shape.col(i);
    shape.col(i) /= std::sqrt(shape.col(i).dot(weighted));
  }
  return withDamping(system, square, std::move(shape));
}

/// DOF with mass, and those without.
std::pair<std::vector<Index>, std::vector<Index>> byMass(const SparseMatrix& m) {
  std::pair<std::vector<Index>, std::vector<Index>> lists;
  for (Index i = 0; i < m.cols(); ++i) {
    bool has_mass = false;
    for (SparseMatrix::InnerIterator it(m, i); it; ++it) has_mass = has_mass || it.value() != 0.0;
    (has_mass ? lists.first : lists.second).push_back(i);
  }
  return lists;
}

/// With a mass matrix that is only semi-definite, such as that of a massless rotation in actuator axes: motions without
/// mass, as combinations of DOF, follow the others statically.
Modes semidefiniteModes(const SystemMatrices& system) {
  const VectorXd diagonal = system.m.diagonal();
  const VectorXd unit = (diagonal.array() > 0.0).select(diagonal.array().max(1e-300).rsqrt(), 1.0);
  const linalg::SymmetricModes masses =
      linalg::symmetricModes(unit.asDiagonal() * MatrixXd(system.m) * unit.asDiagonal());
  const double largest = masses.values.cwiseAbs().maxCoeff();
  if (masses.values[0] < -kMasslessMotion * largest)
    throw InputError("/structure", "has a mass matrix that is not positive definite; assign a mass to every part");
  const Index light = (masses.values.array() <= kMasslessMotion * largest).count(), heavy = system.size() - light;
  const MatrixXd basis = unit.asDiagonal() * masses.vectors;
  const MatrixXd k = basis.transpose() * (system.k * basis), between = k.topRightCorner(light, heavy);
  const linalg::SymmetricSolution held = linalg::solveSymmetric(k.topLeftCorner(light, light), between);
  if (!(held.reciprocal_condition > 1e-14))
    throw InputError("/structure", "has a motion without mass and without stiffness; give it mass or stiffness");
  const MatrixXd condensed = k.bottomRightCorner(heavy, heavy) - between.transpose() * held.x,
                 m = masses.values.tail(heavy).asDiagonal();
  const linalg::SymmetricModes found = linalg::generalisedModes(condensed, m);
  return withDamping(system, found.values,
                     basis.rightCols(heavy) * found.vectors - basis.leftCols(light) * (held.x * found.vectors));
}

}  // namespace

Modes modes(const SystemMatrices& system) {
  const auto [heavy, light] = byMass(system.m);
  if (heavy.empty()) return withDamping(system, VectorXd(0), MatrixXd(system.size(), 0));
  const MatrixXd m(block(system.m, heavy, heavy));
  MatrixXd k(block(system.k, heavy, heavy)), follow;  // motion of the light DOF per heavy one
  if (!light.empty()) {
    const MatrixXd between(block(system.k, light, heavy));
    const linalg::SymmetricSolution held = linalg::solveSymmetric(MatrixXd(block(system.k, light, light)), between);
    if (!(held.reciprocal_condition > 1e-14))
      throw InputError("/structure", "has degrees of freedom without mass and without stiffness, possibly \"" +
                                         system.dofs[static_cast<std::size_t>(light.front())].name +
                                         "\"; give them mass or stiffness");
    follow = -held.x;
    k += between.transpose() * follow;
  }
  const MatrixXd rounding = kMasslessMotion * MatrixXd(m.diagonal().asDiagonal());
  if (!linalg::positiveDefinite(m - rounding)) return semidefiniteModes(system);
  const linalg::SymmetricModes found = linalg::generalisedModes(k, m);
  MatrixXd shape(system.size(), found.vectors.cols());
  shape(heavy, Eigen::all) = found.vectors;
  if (!light.empty()) shape(light, Eigen::all) = follow * found.vectors;
  return withDamping(system, found.values, std::move(shape));
}

Modes lowestModes(const SystemMatrices& system, Index count) {
  const Index n = system.size();
  if (n > kDenseLimit) {
    const double rounding = 1e-12 * system.k.diagonal().sum() / system.m.diagonal().sum();
    // The shift is near the wanted modes, but far enough below zero that K - shift M is regular for rigid-body motion.
    // If that fails, the shift is lower and the basis larger.
    double shift = -std::max(1e-4 * squareAbove(system, count), rounding);
    for (Index basis = std::max(2 * count + 1, count + 20); 3 * basis < n; basis *= 2, shift *= 100.0)
      if (std::optional<Modes> found = lanczos(system, count, basis, shift, rounding)) return *std::move(found);
  }
  Modes all = modes(system);
  count = std::min(count, all.frequency_hz.size());
  all.frequency_hz.conservativeResize(count);
  all.damping_ratio.conservativeResize(count);
  all.shape.conservativeResize(Eigen::NoChange, count);
  return all;
}

}  // namespace hyb
