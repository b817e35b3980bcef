#include "core/structure/modes.h"

#include <Eigen/Eigenvalues>
#include <numbers>

namespace hyb {

Modes modes(const SystemMatrices& system) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(system.k, system.m);
  const Eigen::ArrayXd omega = solver.eigenvalues().array().max(0.0).sqrt();  // rounding can leave -0 for a free body
  Modes result;
  result.shape = solver.eigenvectors();
  result.frequency_hz = omega / (2.0 * std::numbers::pi);
  const Eigen::ArrayXd modal_damping = (result.shape.transpose() * system.c * result.shape).diagonal();
  result.damping_ratio = (omega > 0.0).select(modal_damping / (2.0 * omega), 0.0);
  return result;
}

}  // namespace hyb
