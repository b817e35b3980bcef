#pragma once
#include <Eigen/Core>

namespace hyb::linalg {

/// A similar matrix D^-1 A D whose rows and columns are of like size, with a diagonal D of powers of two: nothing is
/// rounded, and what an algorithm rounds is small beside every entry. States of 1e13 beside a chain of delayed commands
/// would otherwise pass for roots outside the unit circle, and small entries be lost in an exponential (Parlett and
/// Reinsch 1969; James, Langou and Lowery 2014, with the Euclidean norm).
struct Balanced {
  Eigen::MatrixXd matrix;
  Eigen::VectorXd scale;  // of D
};
Balanced balanced(const Eigen::MatrixXd& a);

}  // namespace hyb::linalg
