#pragma once
#include <Eigen/Core>

namespace hyb::linalg {

/// A = U diag(values) V^T, values descending.
struct RightSvd {
  Eigen::VectorXd values;  // [min(m, n)]
  Eigen::MatrixXd v;       // [n, n]
};
/// Of a real matrix [m, n], by Jacobi rotations: accurate for small values.
RightSvd rightSvd(const Eigen::MatrixXd& a);

/// The first `count` left singular vectors of a real matrix [m, n], in columns; those with values far below a millionth
/// of the first are lost in rounding.
Eigen::MatrixXd leftVectors(const Eigen::MatrixXd& a, Eigen::Index count);

/// Singular vectors of the smallest singular value of a complex matrix [n, n].
struct NullVectors {
  Eigen::VectorXcd left, right;  // [n]
};
NullVectors nullVectors(const Eigen::MatrixXcd& a);

}  // namespace hyb::linalg
