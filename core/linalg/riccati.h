#pragma once
#include <Eigen/Core>
#include <optional>

namespace hyb::linalg {

/// The X >= 0 that stabilises  X = A^T X (1 + G X)^-1 A + H,  all [n, n], G and H symmetric and >= 0: for least-squares
/// control with G = B R^-1 B^T and H = C^T Q C, and with A^T for the filter. By doubling; empty without convergence,
/// because (A, B) is not stabilisable or (C, A) not detectable.
/// Source: E. K.-W. Chu, H.-Y. Fan, W.-W. Lin, C.-S. Wang, Structure-preserving algorithms for periodic discrete-time
/// algebraic Riccati equations, Int. J. Control 77 (2004), eq. 2.13.
std::optional<Eigen::MatrixXd> solveRiccati(Eigen::MatrixXd a, Eigen::MatrixXd g, Eigen::MatrixXd h);

}  // namespace hyb::linalg
