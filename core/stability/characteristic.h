#pragma once
#include <Eigen/Core>
#include <complex>

#include "core/stability/delay_stability.h"

namespace hyb {

/// Checks sizes and values; throws InputError.
void requireSound(const DelaySystem& system, double delay_s, double cutoff_hz);

/// Entire characteristic function of the loop, F(s) = det A(s), scaled so that it never overflows:
///   A = [D_N diag(d) + B D_P,ii diag(n e^{-s tau})   B D_P,iy]
///       [D_P,yi diag(n e^{-s tau})                     D_P,yy]
/// over the NS DOF and the inner DOF y of the PS; n and d are the polynomials of the actuators, B puts the interface
/// into the NS, d multiplies the interface columns only. Its roots are those of det(D_N + D_P G e^{-s tau}).
class Characteristic {
 public:
  /// delay_s: equal on all interface signals, on top of the base delays.
  Characteristic(const DelaySystem& system, double delay_s);

  struct Value {
    std::complex<double> direction;       // F/|F|; 0 at a root
    std::complex<double> log_derivative;  // F'/F, s
  };
  Value at(std::complex<double> s) const;
  const Eigen::VectorXd& delay() const noexcept { return delay_s_; }  // [i], s

 private:
  struct Polynomial {
    std::complex<double> value, derivative;
  };
  static Polynomial evaluate(const std::vector<double>& coefficients, std::complex<double> s);

  const DelaySystem& system_;
  Eigen::VectorXd delay_s_;
  std::vector<Eigen::Index> row_;  // [PS DOF]: its row in A
  Eigen::Index size_;
};

}  // namespace hyb
