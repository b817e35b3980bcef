#include <Eigen/SparseCholesky>

#include "core/linalg/sparse.h"

namespace hyb::linalg {

struct SparseFactors::Factors {
  explicit Factors(const Eigen::SparseMatrix<double>& a) : ldlt(a) {}
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> ldlt;
};

SparseFactors::SparseFactors(const Eigen::SparseMatrix<double>& a) : factors_(std::make_unique<Factors>(a)) {}
SparseFactors::~SparseFactors() = default;
SparseFactors::SparseFactors(SparseFactors&&) noexcept = default;
SparseFactors& SparseFactors::operator=(SparseFactors&&) noexcept = default;

bool SparseFactors::regular() const { return factors_->ldlt.info() == Eigen::Success; }
Eigen::MatrixXd SparseFactors::solve(const Eigen::MatrixXd& b) const { return factors_->ldlt.solve(b); }
Eigen::SparseMatrix<double> SparseFactors::solve(const Eigen::SparseMatrix<double>& b) const {
  return factors_->ldlt.solve(b);
}
Eigen::VectorXd SparseFactors::pivots() const { return factors_->ldlt.vectorD(); }

Eigen::VectorXi SparseFactors::order() const {
  const auto& permutation = factors_->ldlt.permutationP();  // empty if no order was needed
  const Eigen::Index n = factors_->ldlt.rows();
  if (permutation.size() == n) return permutation.indices();
  return Eigen::VectorXi::LinSpaced(n, 0, static_cast<int>(n) - 1);
}

Eigen::VectorXi SparseFactors::sequence() const {
  const Eigen::VectorXi order = this->order();
  Eigen::VectorXi rows(order.size());
  for (int row = 0; row < static_cast<int>(order.size()); ++row) rows[order[row]] = row;
  return rows;
}

Eigen::SparseMatrix<double> SparseFactors::lower() const {
  Eigen::SparseMatrix<double> lower =
      factors_->ldlt.matrixL().nestedExpression().triangularView<Eigen::StrictlyLower>();
  lower.makeCompressed();
  return lower;
}

}  // namespace hyb::linalg
