#pragma once
#include <Eigen/Core>
#include <complex>
#include <vector>

#include "core/stability/condensed_side.h"
#include "core/stability/delay_stability.h"
#include "core/stability/transfer_terms.h"

namespace hyb {

/// Open loop of the cut, D_N^-1 D_P H at the interface; with springs A^-1 B of Characteristic's S = A + B, with B from
/// the actuators' commands, as with a compensator that uses the motion. With an extra delay the loop is singular where
/// lambda e^{-s tau} = -1 for one of its eigenvalues lambda, the loop gains. Source: Vizzaccaro et al., section 1 of
/// the note.
class LoopGain {
 public:
  /// Keeps a reference to `system`; both sides should have few DOF (condensedFor).
  explicit LoopGain(const DelaySystem& system);

  /// Loop gains [i], ascending in magnitude, so that each magnitude is a continuous function of s. All infinite at an
  /// undamped resonance of the NS. If only one actuator is late: [1], the gain of its loop with the others closed.
  Eigen::VectorXcd at(std::complex<double> s) const;

  /// With springs: forces on the specimen over the force targets of the pistons, [i, i]; the targets of the NS are
  /// taken as given, the specimen's motion is fed back.
  Eigen::MatrixXcd forceTracking(std::complex<double> s) const;

  /// Angular frequencies up to `cutoff` (rad/s), ascending: evenly spaced, and dense around the free and clamped modes
  /// of both sides and of the whole, where lightly damped gains change fast.
  std::vector<double> grid(double cutoff) const;

 private:
  /// In motions x of the specimen, with the force targets z of the NS: (held + own) x = -target z; held is A, and
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
  /// Terms of actuator i, including its fixed delay.
  TransferTerms termsOf(Eigen::Index i, std::complex<double> s) const;

  const DelaySystem& system_;
  std::shared_ptr<const CondensedSides> sides_;
  bool coupled_;  // an actuator depends on the specimen
  bool returns_;  // a compensator uses the motion
};

/// A frequency at which a loop gain has magnitude 1.
struct UnitGain {
  double omega;        // rad/s
  double lag;          // rad, 0..2 pi: phase lag until lambda = -1
  bool destabilising;  // with growing delay the root moves into the right half plane
};
/// All below `cutoff` (rad/s), including narrow peaks and dips between the points of the grid.
std::vector<UnitGain> unitGains(const DelaySystem& system, double cutoff);

}  // namespace hyb
