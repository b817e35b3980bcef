#include <Eigen/LU>

#include "core/linalg/dense.h"

namespace hyb::linalg {

struct ComplexLu::Factors {
  Eigen::PartialPivLU<Eigen::MatrixXcd> lu;
};

ComplexLu::ComplexLu(const Eigen::MatrixXcd& a)
    : factors_(std::make_unique<Factors>(Factors{Eigen::PartialPivLU<Eigen::MatrixXcd>(a)})) {}
ComplexLu::~ComplexLu() = default;
Eigen::MatrixXcd ComplexLu::solve(const Eigen::MatrixXcd& b) const { return factors_->lu.solve(b); }
Eigen::VectorXcd ComplexLu::pivots() const { return factors_->lu.matrixLU().diagonal(); }
double ComplexLu::sign() const { return static_cast<double>(factors_->lu.permutationP().determinant()); }

}  // namespace hyb::linalg
