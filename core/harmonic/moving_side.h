#pragma once
#include <Eigen/Core>
#include <vector>

#include "core/structure/system.h"

namespace hyb {

/// A computed side condensed on its interface, at any frequency at any time: as dense matrices, taken out one unknown
/// after the other. Nothing allocates but the constructor.
class MovingSide {
 public:
  static constexpr Eigen::Index kMostInside = 300;  // DOF beside the interface: a millisecond or ten
  /// `to_axes` [i, i]: motion of the interface DOF from the coordinates asked for; loads [side, h]. Throws InputError
  /// ("/partition"): too large.
  MovingSide(const SystemMatrices& side, const std::vector<Eigen::Index>& interface, const Eigen::MatrixXd& to_axes,
             const Eigen::MatrixXcd& loads);
  /// At w, rad/s: D_ii - D_ib D_bb^-1 D_bi and its inverse [i, i], and F_i - D_ib D_bb^-1 F_b [i] of load
  /// column h. False: it is not to be had.
  bool at(double w, Eigen::Index h, Eigen::MatrixXcd& stiffness, Eigen::MatrixXcd& flexibility,
          Eigen::VectorXcd& load) noexcept;

 private:
  Eigen::Index inside_, outside_;
  Eigen::MatrixXd k_, c_, m_;  // inner DOF first
  Eigen::MatrixXcd loads_, work_, right_, corner_;
};

}  // namespace hyb
