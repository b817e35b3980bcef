#include <Eigen/Eigenvalues>
#include <cmath>

#include "core/linalg/eigen.h"
#include "core/numbers.h"

namespace hyb::linalg {
namespace {

/// The matrix D^-1 A D, whose rows and columns are of like size, with a diagonal D of powers of two: nothing is
/// rounded, and what the QR algorithm rounds is small beside every entry. States of 1e13 beside a chain of delayed
/// commands would otherwise pass for roots outside the unit circle (Parlett and Reinsch 1969; James, Langou and
/// Lowery 2014, with the Euclidean norm).
Eigen::MatrixXd balanced(Eigen::MatrixXd a) {
  constexpr double kWorthIt = 0.95;  // of the norms before
  constexpr int kMostSweeps = 200;
  bool changed = true;
  for (int sweep = 0; changed && sweep < kMostSweeps; ++sweep) {
    changed = false;
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
      const double own = a(i, i);
      a(i, i) = 0.0;
      const double column = a.col(i).stableNorm(), row = a.row(i).stableNorm();
      a(i, i) = own;
      if (!(column > 0.0 && row > 0.0) || !std::isfinite(column) || !std::isfinite(row)) continue;
      const double factor = std::exp2(std::round(0.5 * std::log2(row / column)));
      if (column * factor + row / factor >= kWorthIt * (column + row)) continue;
      a.col(i) *= factor;
      a.row(i) /= factor;
      changed = true;
    }
  }
  return a;
}

}  // namespace

Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& a) {
  if (!a.allFinite()) return Eigen::VectorXcd::Constant(a.rows(), kNone);
  Eigen::EigenSolver<Eigen::MatrixXd> solver;
  solver.setMaxIterations(1000 * a.rows());  // matrices far from balance need more than Eigen's 40 for each row
  solver.compute(balanced(a), false);
  if (solver.info() != Eigen::Success) return Eigen::VectorXcd::Constant(a.rows(), kNone);
  return solver.eigenvalues();
}

Eigen::VectorXcd eigenvalues(const Eigen::MatrixXcd& a) {
  return Eigen::ComplexEigenSolver<Eigen::MatrixXcd>(a, false).eigenvalues();
}

}  // namespace hyb::linalg
