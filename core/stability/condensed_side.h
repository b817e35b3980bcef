#pragma once
#include <Eigen/Core>
#include <complex>
#include <optional>
#include <vector>

#include "core/structure/system.h"

namespace hyb {

/// One side of the cut condensed on the interface, D(s) = D_ii - D_ib D_bb^-1 D_bi. The inner DOF are represented by
/// their clamped modes, so that a value costs one sum over the modes with proportional damping, or one small solution
/// with other or unsymmetric damping. The preparation is dense: for up to some hundred DOF.
class CondensedSide {
 public:
  CondensedSide(const SystemMatrices& system, const std::vector<Eigen::Index>& interface);

  /// D(s) [i, i].
  Eigen::MatrixXcd at(std::complex<double> s) const;

  struct Value {
    Eigen::MatrixXcd stiffness, derivative;  // D, dD/ds [i, i]
    std::complex<double> inner_direction;    // det D_bb/|det D_bb|; 0 at an inner root
    std::complex<double> inner_slope;        // d/ds ln det D_bb
  };
  Value withDerivative(std::complex<double> s) const;

  /// Undamped angular frequencies of the inner modes with held interface, ascending, rad/s. Empty if inner DOF have no
  /// mass.
  const Eigen::VectorXd& clampedOmega() const noexcept { return clamped_omega_; }

 private:
  struct Quadratic {  // m s^2 + c s + k
    Eigen::MatrixXd m, c, k;
    Eigen::MatrixXcd at(std::complex<double> s) const;
    Eigen::MatrixXcd slopeAt(std::complex<double> s) const;
  };
  /// A power of s times the contribution of each mode to D, the upper triangle column by column.
  struct Outer {
    int power;
    Eigen::MatrixXd of_modes;  // [i (i + 1) / 2, b]
  };
  Eigen::MatrixXcd backAt(std::complex<double> s) const;
  void followStatically();
  void gather();

  Quadratic interface_;            // [i, i]
  Quadratic coupling_;             // [b, i]
  std::optional<Quadratic> back_;  // [i, b], for unsymmetric C; otherwise the transpose of coupling_
  Quadratic inner_;                // [b, b], for damping that couples the modes, or massless DOF
  bool diagonal_ = false;          // inner DOF are modes of mass 1 with separate damping:
  Eigen::ArrayXd c_, k_;           // [b]
  std::vector<Outer> outer_;
  Eigen::VectorXd clamped_omega_;
};

}  // namespace hyb
