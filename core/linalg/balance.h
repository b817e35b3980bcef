#pragma once
#include <Eigen/Core>

namespace hyb::linalg {

/// A similar matrix D^-1 A D with rows and columns of similar magnitude, and a diagonal D of powers of two, so that
/// scaling causes no rounding and later rounding is small relative to every entry. Otherwise states of 1e13 beside a
/// chain of delayed commands would look like roots outside the unit circle, and an exponential would lose small entries
/// (Parlett and Reinsch 1969; James, Langou and Lowery 2014, with the Euclidean norm).
struct Balanced {
  Eigen::MatrixXd matrix;
  Eigen::VectorXd scale;  // of D
};
Balanced balanced(const Eigen::MatrixXd& a);

}  // namespace hyb::linalg
