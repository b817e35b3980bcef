#include "core/structure/modes.h"

#include <Spectra/MatOp/SparseSymMatProd.h>
#include <Spectra/MatOp/SymShiftInvert.h>
#include <Spectra/SymGEigsShiftSolver.h>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <numbers>

namespace hyb {
namespace {

constexpr Eigen::Index kDenseLimit = 300;  // below, all modes at once are faster

Modes withDamping(const SystemMatrices& system, const Eigen::VectorXd& square, Eigen::MatrixXd shape) {
  const Eigen::ArrayXd omega = square.array().max(0.0).sqrt();  // rounding can leave -0 for a free body
  Modes result;
  result.shape = std::move(shape);
  result.frequency_hz = omega / (2.0 * std::numbers::pi);
  const Eigen::MatrixXd damped = system.c * result.shape;
  const Eigen::ArrayXd modal_damping = (result.shape.array() * damped.array()).colwise().sum();
  result.damping_ratio = (omega > 0.0).select(modal_damping / (2.0 * omega), 0.0);
  return result;
}

}  // namespace

Modes modes(const SystemMatrices& system) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver{Eigen::MatrixXd(system.k),
                                                                         Eigen::MatrixXd(system.m)};
  return withDamping(system, solver.eigenvalues(), solver.eigenvectors());
}

Modes lowestModes(const SystemMatrices& system, Eigen::Index count) {
  const Eigen::Index n = system.size();
  count = std::min(count, n);
  const Eigen::Index basis = std::min(n, std::max(2 * count + 1, count + 20));
  if (n > kDenseLimit && 3 * basis < n) {
    using Inverse = Spectra::SymShiftInvert<double, Eigen::Sparse, Eigen::Sparse>;
    using Mass = Spectra::SparseSymMatProd<double>;
    Inverse inverse(system.k, system.m);
    Mass mass(system.m);
    // A little below zero, so that rigid-body motion does not make K - shift M singular.
    const double shift = -1e-9 * system.k.diagonal().sum() / system.m.diagonal().sum();
    Spectra::SymGEigsShiftSolver<Inverse, Mass, Spectra::GEigsMode::ShiftInvert> solver(
        inverse, mass, static_cast<int>(count), static_cast<int>(basis), shift);
    solver.init();
    solver.compute(Spectra::SortRule::LargestMagn, 1000, 1e-12, Spectra::SortRule::SmallestAlge);
    if (solver.info() == Spectra::CompInfo::Successful) {
      Eigen::MatrixXd shape = solver.eigenvectors();
      for (Eigen::Index i = 0; i < shape.cols(); ++i) {
        const Eigen::VectorXd weighted = system.m * shape.col(i);
        shape.col(i) /= std::sqrt(shape.col(i).dot(weighted));
      }
      return withDamping(system, solver.eigenvalues(), std::move(shape));
    }
  }
  Modes all = modes(system);
  all.frequency_hz.conservativeResize(count);
  all.damping_ratio.conservativeResize(count);
  all.shape.conservativeResize(Eigen::NoChange, count);
  return all;
}

}  // namespace hyb
