#include "core/stability/condensed_side.h"

#include <algorithm>
#include <cmath>

#include "core/linalg/dense.h"
#include "core/linalg/eigen.h"

namespace hyb {

using Complex = std::complex<double>;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

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

  // Motions in units of equal inertia: metres and radians of a fine mesh differ by orders of magnitude.
  const VectorXd unit = inner_.m.diagonal().cwiseSqrt().cwiseInverse();
  const linalg::SymmetricModes modes = linalg::generalisedModes(unit.asDiagonal() * inner_.k * unit.asDiagonal(),
                                                                unit.asDiagonal() * inner_.m * unit.asDiagonal());
  const MatrixXd shape = unit.asDiagonal() * modes.vectors;
  k_ = modes.values;
  clamped_omega_ = k_.max(0.0).sqrt();
  for (MatrixXd* matrix : {&coupling_.m, &coupling_.c, &coupling_.k}) *matrix = (shape.transpose() * *matrix).eval();
  if (back_)
    for (MatrixXd* matrix : {&back_->m, &back_->c, &back_->k}) *matrix = (*matrix * shape).eval();
  inner_ = {MatrixXd::Identity(k_.size(), k_.size()), shape.transpose() * inner_.c * shape,
            MatrixXd(k_.matrix().asDiagonal())};
  c_ = inner_.c.diagonal();
  const MatrixXd between_modes = inner_.c - MatrixXd(c_.matrix().asDiagonal());
  diagonal_ = !back_ && between_modes.norm() <= 1e-10 * inner_.c.norm();
  if (diagonal_) inner_.c = c_.matrix().asDiagonal();
  followStatically();
  if (diagonal_)
    gather();
  else
    separate();
}

/// Makes mode coordinates relative to the static motion by the interface, so that no stiffness couples them: the motion
/// of mode j becomes its own minus a_j^T x_i, a_j = k_j / w_j^2. The stiffness is symmetric, also with unsymmetric C.
void CondensedSide::followStatically() {
  MatrixXd a = MatrixXd::Zero(k_.size(), interface_.k.cols());
  for (Eigen::Index j = 0; j < k_.size(); ++j)
    if (k_[j] > 1e-12 * k_.maxCoeff()) a.row(j) = coupling_.k.row(j) / k_[j];  // others are free modes
  for (const auto part : {&Quadratic::m, &Quadratic::c, &Quadratic::k}) {
    const MatrixXd &inner = inner_.*part, follows = inner * a, leads = a.transpose() * inner;
    MatrixXd &coupling = coupling_.*part, &interface = interface_.*part;
    const MatrixXd back = back_ ? MatrixXd((*back_).*part) : MatrixXd(coupling.transpose());
    interface += leads * a - a.transpose() * coupling - back * a;
    coupling -= follows;
    if (back_) (*back_).*part -= leads;
  }
  for (Eigen::Index j = 0; j < k_.size(); ++j) {
    if (!(k_[j] > 1e-12 * k_.maxCoeff())) continue;
    coupling_.k.row(j).setZero();
    if (back_) back_->k.col(j).setZero();
  }
}

/// D_bb^-1 as a sum over its poles lambda, from the vectors of the first-order form of its modes:
///   D_bb^-1 = sum l r / (s - lambda),  s D_bb^-1 = sum lambda l r / (s - lambda),
///   s^2 D_bb^-1 = 1 + sum lambda^2 l r / (s - lambda).
/// The last two keep the digits far from the poles, where the terms of the first one cancel.
void CondensedSide::separate() {
  const Eigen::Index modes = k_.size(), size = interface_.k.rows();
  const VectorXd scale = clamped_omega_.cwiseMax(1e-9 * clamped_omega_.maxCoeff());
  if (!(scale.minCoeff() > 0.0)) return;
  MatrixXd first_order = MatrixXd::Zero(2 * modes, 2 * modes);  // of (scale x, x')
  first_order.topRightCorner(modes, modes) = scale.asDiagonal();
  first_order.bottomLeftCorner(modes, modes) = -k_.matrix().cwiseQuotient(scale).asDiagonal().toDenseMatrix();
  first_order.bottomRightCorner(modes, modes) = -inner_.c;
  const linalg::GeneralModes found = linalg::generalModes(first_order);
  if (!found.values.allFinite() || !found.vectors.allFinite()) return;

  MatrixXcd loads = MatrixXcd::Zero(2 * modes, 3 * size);
  loads.bottomRows(modes) << coupling_.k.cast<Complex>(), coupling_.c.cast<Complex>(), coupling_.m.cast<Complex>();
  const MatrixXcd right = linalg::ComplexLu(found.vectors).solve(loads);
  const MatrixXcd motion = scale.cwiseInverse().cast<Complex>().asDiagonal() * found.vectors.topRows(modes);
  const auto back = [&](MatrixXd Quadratic::*part) {
    return back_ ? MatrixXd((*back_).*part) : MatrixXd((coupling_.*part).transpose());
  };
  const MatrixXd back_k = back(&Quadratic::k), back_c = back(&Quadratic::c), back_m = back(&Quadratic::m);
  const std::array<MatrixXcd, 3> left{back_k.cast<Complex>() * motion, back_c.cast<Complex>() * motion,
                                      back_m.cast<Complex>() * motion};
  for (MatrixXcd& residues : residues_) residues = MatrixXcd::Zero(size * size, 2 * modes);
  const Eigen::ArrayXcd once = found.values.array(), twice = once.square();
  for (Eigen::Index j = 0; j < size; ++j)
    for (Eigen::Index i = 0; i < size; ++i) {
      const auto product = [&](std::size_t of_left, std::size_t of_right) -> Eigen::ArrayXcd {
        return left[of_left].row(i).transpose().array() *
               right.col(static_cast<Eigen::Index>(of_right) * size + j).array();
      };
      const Eigen::Index row = j * size + i;
      residues_[0].row(row) = (product(0, 0) + once * (product(0, 1) + product(1, 0)) +
                               twice * (product(0, 2) + product(2, 0) + product(1, 1)))
                                  .matrix()
                                  .transpose();
      residues_[1].row(row) = (twice * (product(1, 2) + product(2, 1))).matrix().transpose();
      residues_[2].row(row) = (twice * product(2, 2)).matrix().transpose();
    }
  settled_ = interface_;
  settled_.k -= back_k * coupling_.m + back_m * coupling_.k + back_c * coupling_.c;
  settled_.c -= back_c * coupling_.m + back_m * coupling_.c;
  settled_.m -= back_m * coupling_.m;
  poles_ = found.values;
  if (!polesFit()) poles_.resize(0);
}

/// Whether the sum over the poles gives the values of the solution, below, among and above the modes.
bool CondensedSide::polesFit() const {
  constexpr double kRounding = 1e-9;
  const double lowest = clamped_omega_.minCoeff(), highest = clamped_omega_.maxCoeff();
  for (const double omega : {0.3 * lowest, std::sqrt(lowest * highest), highest, 30.0 * highest})
    for (const double decay : {0.0, 0.1, 1.0}) {
      const Complex s(decay * omega, omega);
      const MatrixXcd solved = solvedAt(s);
      if (!((at(s) - solved).norm() <= kRounding * solved.norm())) return false;
    }
  return true;
}

/// 1 / (s - pole) [2 b].
Eigen::ArrayXcd CondensedSide::awayFromPoles(Complex s) const {
  Eigen::ArrayXcd inverse(poles_.size());
  for (Eigen::Index k = 0; k < inverse.size(); ++k) {
    const Complex away = s - poles_[k];
    inverse[k] = std::conj(away) / std::norm(away);
  }
  return inverse;
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

MatrixXcd CondensedSide::solvedAt(Complex s) const {
  return interface_.at(s) - backAt(s) * linalg::ComplexLu(inner_.at(s)).solve(coupling_.at(s));
}

MatrixXcd CondensedSide::at(Complex s) const {
  if (poles_.size() > 0) {
    MatrixXcd stiffness = settled_.at(s);
    const Eigen::VectorXcd inverse = awayFromPoles(s).matrix();
    const Eigen::VectorXcd sum = residues_[0] * inverse + s * (residues_[1] * inverse + s * (residues_[2] * inverse));
    stiffness -= sum.reshaped(stiffness.rows(), stiffness.cols());
    return stiffness;
  }
  MatrixXcd stiffness = interface_.at(s);
  if (coupling_.m.rows() == 0) return stiffness;
  if (!diagonal_) return solvedAt(s);
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

/// For damping that couples the modes, by a solution of D_bb.
CondensedSide::Value CondensedSide::solvedWithDerivative(Complex s) const {
  Value value{interface_.at(s), interface_.slopeAt(s), 1.0, 0.0};
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

CondensedSide::Value CondensedSide::withDerivative(Complex s) const {
  Value value{interface_.at(s), interface_.slopeAt(s), 1.0, 0.0};
  if (coupling_.m.rows() == 0) return value;
  if (poles_.size() > 0) {
    value.stiffness = settled_.at(s);
    value.derivative = settled_.slopeAt(s);
    const Eigen::ArrayXcd inverse = awayFromPoles(s);
    Eigen::MatrixXcd by_slope(inverse.size(), 2);
    by_slope << inverse.matrix(), -inverse.square().matrix();
    Complex power = 1.0, power_slope = 0.0;
    for (const MatrixXcd& residues : residues_) {
      const MatrixXcd sums = residues * by_slope;
      value.stiffness -= (power * sums.col(0)).reshaped(value.stiffness.rows(), value.stiffness.cols());
      value.derivative -=
          (power_slope * sums.col(0) + power * sums.col(1)).reshaped(value.derivative.rows(), value.derivative.cols());
      power_slope = s * power_slope + power;
      power *= s;
    }
    value.inner_slope = inverse.sum();
    for (const Complex pole : poles_) value.inner_direction *= direction(s - pole);
    return value;
  }
  if (!diagonal_) return solvedWithDerivative(s);
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

CondensedSides::CondensedSides(const Partition& cut)
    : numerical(cut.numerical, cut.interface_in_numerical), physical(cut.physical, cut.interface_in_physical) {}

}  // namespace hyb
