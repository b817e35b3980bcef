#pragma once
#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <optional>

namespace hyb::linalg {

/// Eigenvalues in ascending order with their eigenvectors in columns.
struct SymmetricModes {
  Eigen::VectorXd values;   // [n]
  Eigen::MatrixXd vectors;  // [n, n]
};

/// A v = lambda v of a symmetric matrix [n, n]; orthonormal vectors. Only the lower triangle is read.
SymmetricModes symmetricModes(const Eigen::MatrixXd& a);
/// K v = lambda M v with symmetric K and positive definite M, both [n, n]; v^T M v = 1.
SymmetricModes generalisedModes(const Eigen::MatrixXd& k, const Eigen::MatrixXd& m);
/// A v = lambda v of the symmetric tridiagonal matrix with `diagonal` [n] and `beside` [n - 1].
SymmetricModes tridiagonalModes(const Eigen::VectorXd& diagonal, const Eigen::VectorXd& beside);

/// The `count` modes of K v = lambda M v nearest above `shift`, by Lanczos iteration in a space of `basis` vectors, for
/// large sparse symmetric K and M; `shift` must not be an eigenvalue. Empty without convergence. Vectors are not
/// normalised.
std::optional<SymmetricModes> modesNear(const Eigen::SparseMatrix<double>& k, const Eigen::SparseMatrix<double>& m,
                                        double shift, Eigen::Index count, Eigen::Index basis);

/// Eigenvalues of any square matrix [n, n], in no order; NaN if the iteration does not converge.
Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& a);
Eigen::VectorXcd eigenvalues(const Eigen::MatrixXcd& a);

/// A v = lambda v of any square matrix [n, n]; vectors of length 1 in columns. NaN if the iteration does not converge.
/// The vectors of a multiple eigenvalue may depend on each other.
struct GeneralModes {
  Eigen::VectorXcd values;   // [n]
  Eigen::MatrixXcd vectors;  // [n, n]
};
GeneralModes generalModes(const Eigen::MatrixXd& a);

}  // namespace hyb::linalg
