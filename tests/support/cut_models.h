#pragma once
#include <random>

#include "core/linalg/eigen.h"
#include "core/structure/beam.h"
#include "core/structure/lumped.h"
#include "core/structure/reduction.h"
#include "core/structure/sides.h"

namespace hyb::test {

/// Masses a0, a1, ... between two walls with odd values and links that skip one; element "l3" ties a2 to a3, "x3" a1.
inline LumpedStructure randomMasses(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(0.5, 2.0);
  LumpedStructure s;
  s.supports = {{"left"}, {"right"}};
  const auto mass = [&](int i) { return i < 0 ? "left" : i == count ? "right" : "a" + std::to_string(i); };
  for (int i = 0; i < count; ++i) s.masses.push_back({mass(i), value(random)});
  for (int i = 0; i <= count; ++i)
    s.links.push_back({"l" + std::to_string(i), mass(i - 1), mass(i), 1e4 * value(random), value(random)});
  for (int i = 3; i < count; i += 4)
    s.links.push_back({"x" + std::to_string(i), mass(i - 2), mass(i), 1e3 * value(random), value(random)});
  return s;
}

/// Steel cantilever of 1 m, clamped at 0: segment "b", section 20 mm x 5 mm.
inline BeamStructure cantilever(int elements) {
  BeamStructure beam;
  beam.sections = {{"flat", 2.1e11, 0.02 * 0.005 * 0.005 * 0.005 / 12.0, 1e-4, 7850.0, 0.0}};
  beam.segments = {{"b", 1.0, "flat", elements}};
  beam.supports = {{0.0, true, true}};
  return beam;
}

inline PartitionSpec by(decltype(PartitionSpec::cut) how) {
  PartitionSpec spec;
  spec.cut = std::move(how);
  return spec;
}

/// Largest entry of NS + PS + left out - reference, against the largest of the reference.
inline double sumError(const Partition& p, SparseMatrix SystemMatrices::*matrix, SparseMatrix LeftOut::*left) {
  const Eigen::MatrixXd whole = p.reference.*matrix;
  const Eigen::MatrixXd sum = spread(p.numerical.*matrix, p.numerical, p.reference) +
                              spread(p.physical.*matrix, p.physical, p.reference) + p.left_out.*left;
  return (sum - whole).cwiseAbs().maxCoeff() / std::max(whole.cwiseAbs().maxCoeff(), 1e-300);
}

/// D_N + D_P, both condensed on the interface.
inline Eigen::MatrixXcd coupled(const Partition& p, std::complex<double> s) {
  return condensedStiffness(p.numerical, p.interface_in_numerical, s) +
         condensedStiffness(p.physical, p.interface_in_physical, s);
}

/// Smallest eigenvalue over the largest, each DOF in its own unit; at least -rounding for a semi-definite matrix.
inline double definiteness(const SparseMatrix& matrix) {
  const Eigen::MatrixXd a = matrix;
  const Eigen::VectorXd size = a.diagonal().cwiseAbs().cwiseMax(1e-12 * a.cwiseAbs().maxCoeff() + 1e-300);
  const Eigen::VectorXd unit = size.cwiseSqrt().cwiseInverse();
  const Eigen::VectorXd values = linalg::symmetricModes(unit.asDiagonal() * a * unit.asDiagonal()).values;
  return values.minCoeff() / std::max(values.maxCoeff(), 1e-300);
}

}  // namespace hyb::test
