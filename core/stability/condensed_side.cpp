#include "core/stability/condensed_side.h"

#include <algorithm>

#include "core/linalg/dense.h"
#include "core/linalg/eigen.h"

namespace hyb {

using Complex = std::complex<double>;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;

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
  if (inner.empty() || !linalg::positiveDefinite(inner_.m)) return;

  const auto [square, shape] = linalg::generalisedModes(inner_.k, inner_.m);
  k_ = square;
  clamped_omega_ = k_.max(0.0).sqrt();
  for (MatrixXd* matrix : {&coupling_.m, &coupling_.c, &coupling_.k}) *matrix = (shape.transpose() * *matrix).eval();
  inner_ = {MatrixXd::Identity(k_.size(), k_.size()), shape.transpose() * inner_.c * shape,
            MatrixXd(k_.matrix().asDiagonal())};
  c_ = inner_.c.diagonal();
  const MatrixXd between_modes = inner_.c - MatrixXd(c_.matrix().asDiagonal());
  diagonal_ = between_modes.norm() <= 1e-10 * inner_.c.norm();
}

MatrixXcd CondensedSide::at(Complex s) const {
  MatrixXcd stiffness = interface_.at(s);
  if (coupling_.m.rows() == 0) return stiffness;
  const MatrixXcd coupling = coupling_.at(s);
  if (diagonal_) {
    const Eigen::ArrayXcd inner = s * s + s * c_ + k_;
    stiffness.noalias() -= coupling.transpose() * inner.inverse().matrix().asDiagonal() * coupling;
  } else {
    stiffness.noalias() -= coupling.transpose() * linalg::ComplexLu(inner_.at(s)).solve(coupling);
  }
  return stiffness;
}

CondensedSide::Value CondensedSide::withDerivative(Complex s) const {
  Value value{interface_.at(s), interface_.slopeAt(s), 1.0, 0.0};
  if (coupling_.m.rows() == 0) return value;
  const MatrixXcd coupling = coupling_.at(s), coupling_slope = coupling_.slopeAt(s);
  MatrixXcd inside, inside_slope;  // D_bb^-1 D_bi and D_bb' D_bb^-1 D_bi
  if (diagonal_) {
    const Eigen::ArrayXcd inner = s * s + s * c_ + k_, slope = 2.0 * s + c_;
    inside = inner.inverse().matrix().asDiagonal() * coupling;
    inside_slope = slope.matrix().asDiagonal() * inside;
    value.inner_slope = (slope / inner).sum();
    for (const Complex factor : inner) {
      const double size = std::abs(factor);
      value.inner_direction *= size > 0.0 ? factor / size : Complex{};
    }
  } else {
    const linalg::ComplexLu lu(inner_.at(s));
    const MatrixXcd slope = inner_.slopeAt(s);
    inside = lu.solve(coupling);
    inside_slope = slope * inside;
    value.inner_slope = lu.solve(slope).trace();
    value.inner_direction = lu.sign();
    for (const Complex pivot : lu.pivots()) {
      const double size = std::abs(pivot);
      value.inner_direction *= size > 0.0 ? pivot / size : Complex{};
    }
  }
  value.stiffness.noalias() -= coupling.transpose() * inside;
  value.derivative.noalias() -= coupling_slope.transpose() * inside;
  value.derivative.noalias() -= inside.transpose() * coupling_slope;
  value.derivative.noalias() += inside.transpose() * inside_slope;
  return value;
}

}  // namespace hyb
