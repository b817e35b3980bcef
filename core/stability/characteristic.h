#pragma once
#include <Eigen/Core>
#include <complex>

#include "core/stability/condensed_side.h"
#include "core/stability/delay_stability.h"

namespace hyb {

/// Checks sizes and values; throws InputError.
void requireSoundRange(double delay_s, double cutoff_hz);
void requireSound(const DelaySystem& system, double delay_s, double cutoff_hz);

/// Entire characteristic function of the loop, F(s) = det D_N,bb det D_P,bb det S(s) with the two sides condensed on
/// the interface,
///   S = D_N diag(d) + D_P diag(n e^{-s tau}),
/// n and d the polynomials of the actuators: the determinant of the assembled, uncondensed loop, whose roots are those
/// of det(D_N + D_P G e^{-s tau}) without its poles.
class Characteristic {
 public:
  /// delay_s: equal on all interface signals, on top of the base delays.
  Characteristic(const DelaySystem& system, double delay_s);

  struct Value {
    std::complex<double> direction;       // F/|F|; 0 at a root
    std::complex<double> log_derivative;  // F'/F, s
  };
  Value at(std::complex<double> s) const;
  /// ds/dtau of a simple root, 1/s per s of the extra delay.
  std::complex<double> speedOfRoot(std::complex<double> root) const;
  const Eigen::VectorXd& delay() const noexcept { return delay_s_; }  // [i], s

 private:
  /// D_N diag(d) and D_P diag(n e^{-s tau}).
  struct Sides {
    CondensedSide::Value numerical, physical;
  };
  Sides sides(std::complex<double> s) const;

  CondensedSide numerical_, physical_;
  std::vector<ActuatorTransfer> actuators_;  // [i]; empty = all 1
  Eigen::VectorXd delay_s_;
};

}  // namespace hyb
