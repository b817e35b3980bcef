#pragma once
#include <Eigen/Core>
#include <complex>
#include <optional>
#include <vector>

#include "core/structure/partition.h"

namespace hyb {

/// Rational actuator transfer function without its pure delay, from command to displacement; ascending powers of s.
struct ActuatorTransfer {
  std::vector<double> numerator{1.0};
  std::vector<double> denominator{1.0};
};

/// Coupled loop det(D_N(s) + D_P(s) diag(G_i(s) e^{-s tau_i})) = 0, condensed to entire functions, so that roots can be
/// counted.
struct DelaySystem {
  Partition partition;
  std::vector<ActuatorTransfer> actuators;  // [i]; empty = all 1
  Eigen::VectorXd base_delay_s;             // [i]; fixed part of each tau_i; empty = 0
};

struct Crossing {
  double delay_s, frequency_hz;
};

/// Delays (equal, on top of base_delay_s) at which a root crosses the imaginary axis below the cut-off, ascending.
std::vector<Crossing> crossings(const DelaySystem& system, double cutoff_hz, double max_delay_s);
/// First crossing that makes the loop unstable; {0, f} if it is unstable without delay; none if it stays stable.
std::optional<Crossing> criticalDelay(const DelaySystem& system, double cutoff_hz, double max_delay_s);

/// Roots right of -damping_cut below the cut-off at an equal extra delay, rightmost first (upper half plane), counted
/// by the argument principle and polished by Newton; throws std::runtime_error if the count cannot be met.
std::vector<std::complex<double>> rightmostRoots(const DelaySystem& system, double delay_s, double cutoff_hz);

}  // namespace hyb
