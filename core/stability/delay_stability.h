#pragma once
#include <Eigen/Core>
#include <complex>
#include <optional>
#include <vector>

#include "core/structure/partition.h"

namespace hyb {

/// Rational actuator transfer function without its pure delay, from command to displacement; ascending powers of s,
/// without common roots.
struct ActuatorTransfer {
  std::vector<double> numerator{1.0};
  std::vector<double> denominator{1.0};
};

/// Coupled loop det(D_N(s) + D_P(s) diag(G_i(s) e^{-s tau_i})) = 0, condensed to entire functions, so that roots can be
/// counted. Source: Wallace, Wagg, Neild 2005, section 2b.
struct DelaySystem {
  Partition partition;
  std::vector<ActuatorTransfer> actuators;  // [i]; empty = all 1
  Eigen::VectorXd base_delay_s;             // [i]; fixed part of each tau_i; empty = 0
};

struct Crossing {
  double delay_s, frequency_hz;
  bool destabilising = true;  // with growing delay the root goes into the right half plane
};

// All functions look below cutoff_hz only and throw InputError on sizes or values that make no sense, and on delays of
// more than 1000 periods of the cut-off.

/// Delays (equal, on top of base_delay_s) at which a root crosses the imaginary axis below the cut-off, ascending.
std::vector<Crossing> crossings(const DelaySystem& system, double cutoff_hz, double max_delay_s);
/// First crossing that makes the loop unstable; {0, f} if it is unstable without delay; none if it stays stable.
std::optional<Crossing> criticalDelay(const DelaySystem& system, double cutoff_hz, double max_delay_s);

/// Roots (1/s) below the cut-off at an equal extra delay, rightmost first, upper half plane with the real axis. Covers
/// Re(s) from a left border to 20 pi cutoff_hz. The border lies at twice the largest decay rate of the reference
/// structure's modes below the cut-off, and further left where no root would be found. Counted by the argument
/// principle and polished by Newton; throws std::runtime_error if the count cannot be met.
std::vector<std::complex<double>> rightmostRoots(const DelaySystem& system, double delay_s, double cutoff_hz);

}  // namespace hyb
