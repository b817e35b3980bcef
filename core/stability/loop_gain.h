#pragma once
#include <Eigen/Core>
#include <complex>
#include <vector>

#include "core/stability/condensed_side.h"
#include "core/stability/delay_stability.h"
#include "core/stability/transfer_terms.h"

namespace hyb {

/// Open loop of the cut, D_N^-1 D_P H at the interface; with springs A^-1 B of Characteristic's S = A + B, B what goes
/// through the actuators' commands, as with a compensator that reads the motion. With an extra delay the loop is
/// singular where lambda e^{-s tau} = -1 for one of its eigenvalues lambda, the loop gains. Source: Vizzaccaro et al.,
/// section 1 of the note.
class LoopGain {
 public:
  /// Keeps a reference to `system`; both sides should have few DOF (condensedFor).
  explicit LoopGain(const DelaySystem& system);

  /// Loop gains [i], ascending in magnitude, so that each magnitude is a continuous function of s. All infinite at an
  /// undamped resonance of the NS. Where one actuator alone is late: [1], the gain of its loop with the others closed.
  Eigen::VectorXcd at(std::complex<double> s) const;

  /// With springs: forces on the specimen over those that the pistons are asked for, [i, i]; what the NS asks for is
  /// taken as given, the specimen's motion comes back.
  Eigen::MatrixXcd forceTracking(std::complex<double> s) const;

  /// Angular frequencies up to `cutoff` (rad/s), ascending: even over the range, and dense around the free and clamped
  /// modes of both sides and of the whole, where lightly damped gains change fast.
  std::vector<double> grid(double cutoff) const;

 private:
  /// In motions x of the specimen, z the forces that the NS asks for: (held + own) x = -target z; held is A, and
  /// own + target D_N is B.
  struct BehindSprings {
    Eigen::MatrixXcd held, own;
    Eigen::VectorXcd target;
  };
  BehindSprings behindSprings(const Eigen::MatrixXcd& specimen, std::complex<double> s) const;

  Eigen::VectorXcd withReturns(const Eigen::MatrixXcd& numerical, const Eigen::MatrixXcd& specimen,
                               std::complex<double> s) const;
  /// Of a loop held + driven e^{-s tau}.
  Eigen::VectorXcd gains(const Eigen::MatrixXcd& held, const Eigen::MatrixXcd& driven) const;
  /// Of actuator i, its fixed delay in the values.
  TransferTerms termsOf(Eigen::Index i, std::complex<double> s) const;

  const DelaySystem& system_;
  CondensedSide numerical_, physical_;
  bool coupled_;  // an actuator feels the specimen
  bool returns_;  // a compensator reads the motion
};

/// A frequency at which a loop gain has magnitude 1.
struct UnitGain {
  double omega;        // rad/s
  double lag;          // rad, 0..2 pi: what the loop can be turned by until lambda = -1
  bool destabilising;  // with growing delay the root goes into the right half plane
};
/// All of them below `cutoff` (rad/s), narrow peaks and dips between the points of the grid included.
std::vector<UnitGain> unitGains(const DelaySystem& system, double cutoff);

}  // namespace hyb
