#pragma once
#include <Eigen/Core>
#include <array>
#include <complex>
#include <memory>
#include <optional>
#include <vector>

#include "core/structure/partition.h"

namespace hyb {

/// One side of the cut condensed on the interface, D(s) = D_ii - D_ib D_bb^-1 D_bi. A value costs one sum: over the
/// clamped modes of the inner DOF with proportional damping, or over the poles of D_bb with other or unsymmetric
/// damping. No mode is left out. The sum over the poles is compared with solutions of D_bb; where they differ, as with
/// poles of a multiplicity that has too few vectors, each value costs such a solution. The preparation is dense: for up
/// to some hundred DOF.
/// Source of the poles: F. Tisseur, K. Meerbergen, The quadratic eigenvalue problem, SIAM Review 43 (2001), section 3.
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
  Eigen::MatrixXcd solvedAt(std::complex<double> s) const;
  Value solvedWithDerivative(std::complex<double> s) const;
  Eigen::ArrayXcd awayFromPoles(std::complex<double> s) const;
  void followStatically();
  void gather();
  void separate();
  bool polesFit() const;

  Quadratic interface_;            // [i, i]
  Quadratic coupling_;             // [b, i]
  std::optional<Quadratic> back_;  // [i, b], for unsymmetric C; otherwise the transpose of coupling_
  Quadratic inner_;                // [b, b], for damping that couples the modes, or massless DOF
  bool diagonal_ = false;          // inner DOF are modes of mass 1 with separate damping:
  Eigen::ArrayXd c_, k_;           // [b]
  std::vector<Outer> outer_;
  Eigen::VectorXd clamped_omega_;
  Quadratic settled_;                         // [i, i]: D without the sum over the poles
  Eigen::ArrayXcd poles_;                     // [2 b], roots of det D_bb; empty: D_bb is solved for each value
  std::array<Eigen::MatrixXcd, 3> residues_;  // by power of s, [i i, 2 b]
};

/// Both sides of a cut.
struct CondensedSides {
  explicit CondensedSides(const Partition& cut);
  CondensedSide numerical, physical;
};

}  // namespace hyb
