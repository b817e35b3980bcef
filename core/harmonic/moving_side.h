#pragma once
#include <Eigen/Core>
#include <vector>

#include "core/structure/system.h"

namespace hyb {

/// A computed side condensed on its interface at any frequency: as dense matrices, eliminating one unknown after the
/// other. Allocates only in the constructor.
class MovingSide {
 public:
  static constexpr Eigen::Index kMostInside = 300;  // DOF beside the interface: one to ten milliseconds
  /// `to_axes` [i, i]: from the requested coordinates to motion of the interface DOF; loads [side, h]. Throws
  /// InputError
  /// ("/partition") if it is too large.
  MovingSide(const SystemMatrices& side, const std::vector<Eigen::Index>& interface, const Eigen::MatrixXd& to_axes,
             const Eigen::MatrixXcd& loads);
  /// At w, rad/s: D_ii - D_ib D_bb^-1 D_bi and its inverse [i, i], and F_i - D_ib D_bb^-1 F_b [i] of load column h.
  /// False: not defined.
  bool at(double w, Eigen::Index h, Eigen::MatrixXcd& stiffness, Eigen::MatrixXcd& flexibility,
          Eigen::VectorXcd& load) noexcept;

 private:
  Eigen::Index inside_, outside_;
  Eigen::MatrixXd k_, c_, m_;  // inner DOF first
  Eigen::MatrixXcd loads_, work_, right_, corner_;
};

}  // namespace hyb
