#include "core/stability/condensed_side.h"

#include <algorithm>
#include <cmath>

#include "core/linalg/dense.h"
#include "core/linalg/eigen.h"

namespace hyb {

using Complex = std::complex<double>;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;

namespace {

Complex power(Complex s, int exponent) {
  Complex result = 1.0;
  for (int i = 0; i < exponent; ++i) result *= s;
  return result;
}

/// z/|z|; 0 for 0.
Complex direction(Complex z) {
  const double size = std::sqrt(std::norm(z));
  return size > 0.0 ? z / size : Complex{};
}

}  // namespace

MatrixXcd CondensedSide::Quadratic::at(Complex s) const {
  return (s * s) * m.cast<Complex>() + s * c.cast<Complex>() + k.cast<Complex>();
}

MatrixXcd CondensedSide::Quadratic::slopeAt(Complex s) const {
  return (2.0 * s) * m.cast<Complex>() + c.cast<Complex>();
}

CondensedSide::CondensedSide(const SystemMatrices& system, const std::vector<Eigen::Index>& interface) {
  std::vector<Eigen::Index> inner;
  for (Eigen::Index dof = 0; dof < system.size(); ++dof)
    if (std::find(interface.begin(), interface.end(), dof) == interface.end()) inner.push_back(dof);
  const auto part = [&](const std::vector<Eigen::Index>& rows, const std::vector<Eigen::Index>& columns) {
    return Quadratic{MatrixXd(block(system.m, rows, columns)), MatrixXd(block(system.c, rows, columns)),
                     MatrixXd(block(system.k, rows, columns))};
  };
  interface_ = part(interface, interface);
  coupling_ = part(inner, interface);
  inner_ = part(inner, inner);
  constexpr double rounding = 1e-9;
  if (const MatrixXd c = system.c; (c - c.transpose()).cwiseAbs().maxCoeff() > rounding * c.cwiseAbs().maxCoeff())
    back_ = part(interface, inner);
  if (inner.empty() || !linalg::positiveDefinite(inner_.m)) return;

  const auto [square, shape] = linalg::generalisedModes(inner_.k, inner_.m);
  k_ = square;
  clamped_omega_ = k_.max(0.0).sqrt();
  for (MatrixXd* matrix : {&coupling_.m, &coupling_.c, &coupling_.k}) *matrix = (shape.transpose() * *matrix).eval();
  if (back_)
    for (MatrixXd* matrix : {&back_->m, &back_->c, &back_->k}) *matrix = (*matrix * shape).eval();
  inner_ = {MatrixXd::Identity(k_.size(), k_.size()), shape.transpose() * inner_.c * shape,
            MatrixXd(k_.matrix().asDiagonal())};
  c_ = inner_.c.diagonal();
  const MatrixXd between_modes = inner_.c - MatrixXd(c_.matrix().asDiagonal());
  diagonal_ = !back_ && between_modes.norm() <= 1e-10 * inner_.c.norm();
  if (!diagonal_) return;
  followStatically();
  gather();
}

/// Makes mode coordinates relative to the static motion by the interface, so that no stiffness couples them: the motion
/// of mode j becomes its own minus a_j^T x_i, a_j = k_j / w_j^2.
void CondensedSide::followStatically() {
  for (Eigen::Index j = 0; j < k_.size(); ++j) {
    if (!(k_[j] > 1e-12 * k_.maxCoeff())) continue;  // a free mode
    const Eigen::VectorXd a = coupling_.k.row(j) / k_[j], m = coupling_.m.row(j), c = coupling_.c.row(j);
    interface_.k -= k_[j] * a * a.transpose();
    interface_.m += (a - m) * a.transpose() - a * m.transpose();
    interface_.c += (c_[j] * a - c) * a.transpose() - a * c.transpose();
    coupling_.k.row(j).setZero();
    coupling_.m.row(j) -= a.transpose();
    coupling_.c.row(j) -= c_[j] * a.transpose();
  }
}

/// (s^2 m + s c + k)(s^2 m + s c + k)^T of each mode, by powers of s; omits terms that are 0 for all modes.
void CondensedSide::gather() {
  const Eigen::Index size = interface_.m.rows(), modes = k_.size();
  const MatrixXd* terms[] = {&coupling_.k, &coupling_.c, &coupling_.m};
  for (int power = 0; power <= 4; ++power) {
    Outer outer{power, MatrixXd::Zero(size * (size + 1) / 2, modes)};
    for (int p = std::max(0, power - 2); p <= std::min(2, power); ++p) {
      Eigen::Index row = 0;
      for (Eigen::Index j = 0; j < size; ++j)
        for (Eigen::Index i = 0; i <= j; ++i, ++row)
          outer.of_modes.row(row) += terms[p]->col(i).cwiseProduct(terms[power - p]->col(j)).transpose();
    }
    if (!outer.of_modes.isZero(0.0)) outer_.push_back(std::move(outer));
  }
}

MatrixXcd CondensedSide::backAt(Complex s) const { return back_ ? back_->at(s) : coupling_.at(s).transpose(); }

MatrixXcd CondensedSide::at(Complex s) const {
  MatrixXcd stiffness = interface_.at(s);
  if (coupling_.m.rows() == 0) return stiffness;
  if (!diagonal_) {
    const MatrixXcd coupling = coupling_.at(s);
    stiffness.noalias() -= backAt(s) * linalg::ComplexLu(inner_.at(s)).solve(coupling);
    return stiffness;
  }
  const Eigen::ArrayXcd inverse = (s * s + s * c_ + k_).inverse();
  Eigen::Matrix<double, Eigen::Dynamic, 2> parts(inverse.size(), 2);
  parts << inverse.real().matrix(), inverse.imag().matrix();
  for (const Outer& outer : outer_) {
    const Eigen::Matrix<double, Eigen::Dynamic, 2> sums = outer.of_modes * parts;
    const Complex factor = power(s, outer.power);
    Eigen::Index row = 0;
    for (Eigen::Index j = 0; j < stiffness.cols(); ++j)
      for (Eigen::Index i = 0; i <= j; ++i, ++row) stiffness(i, j) -= factor * Complex(sums(row, 0), sums(row, 1));
  }
  stiffness.triangularView<Eigen::StrictlyLower>() = stiffness.transpose();
  return stiffness;
}

CondensedSide::Value CondensedSide::withDerivative(Complex s) const {
  Value value{interface_.at(s), interface_.slopeAt(s), 1.0, 0.0};
  if (coupling_.m.rows() == 0) return value;
  if (!diagonal_) {
    const MatrixXcd coupling = coupling_.at(s), coupling_slope = coupling_.slopeAt(s), slope = inner_.slopeAt(s);
    const linalg::ComplexLu lu(inner_.at(s));
    const MatrixXcd inside = lu.solve(coupling);  // D_bb^-1 D_bi
    value.inner_slope = lu.solve(slope).trace();
    value.inner_direction = lu.sign();
    for (const Complex pivot : lu.pivots()) value.inner_direction *= direction(pivot);
    const MatrixXcd back_slope = back_ ? back_->slopeAt(s) : MatrixXcd(coupling_slope.transpose());
    const MatrixXcd beside =
        back_ ? MatrixXcd(
                    linalg::ComplexLu(inner_.at(s).transpose()).solve(MatrixXcd(back_->at(s).transpose())).transpose())
              : MatrixXcd(inside.transpose());  // D_ib D_bb^-1
    value.stiffness.noalias() -= backAt(s) * inside;
    value.derivative.noalias() -= back_slope * inside;
    value.derivative.noalias() -= beside * coupling_slope;
    value.derivative.noalias() += beside * (slope * inside);
    return value;
  }
  const Eigen::ArrayXcd inner = s * s + s * c_ + k_, slope = 2.0 * s + c_, inverse = inner.inverse();
  const Eigen::ArrayXcd change = -slope * inverse * inverse;
  value.inner_slope = (slope * inverse).sum();
  for (const Complex factor : inner) value.inner_direction *= direction(factor);
  Eigen::Matrix<double, Eigen::Dynamic, 4> parts(inner.size(), 4);
  parts << inverse.real().matrix(), inverse.imag().matrix(), change.real().matrix(), change.imag().matrix();
  for (const Outer& outer : outer_) {
    const Eigen::Matrix<double, Eigen::Dynamic, 4> sums = outer.of_modes * parts;
    const Complex factor = power(s, outer.power);
    const Complex factor_slope = static_cast<double>(outer.power) * power(s, outer.power - 1);
    Eigen::Index row = 0;
    for (Eigen::Index j = 0; j < value.stiffness.cols(); ++j)
      for (Eigen::Index i = 0; i <= j; ++i, ++row) {
        const Complex sum(sums(row, 0), sums(row, 1));
        value.stiffness(i, j) -= factor * sum;
        value.derivative(i, j) -= factor_slope * sum + factor * Complex(sums(row, 2), sums(row, 3));
      }
  }
  for (MatrixXcd* matrix : {&value.stiffness, &value.derivative})
    matrix->triangularView<Eigen::StrictlyLower>() = matrix->transpose();
  return value;
}

}  // namespace hyb
