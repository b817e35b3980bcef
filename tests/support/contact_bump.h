#pragma once
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "core/base/numbers.h"

namespace hyb::test {

/// Changes that give the suspension of the contact project (and of the contact templates) another damping, kg/s: the
/// force of its motion, half of its way (cos - 1) at 0.25 Hz, is that of spring and damper.
inline std::vector<std::string> dampedBy(double damping, double half_way_m = 7.5e-3) {
  constexpr double kStiffness = 1e4, kRate = kTwoPi * 0.25;
  const double elastic_n = kStiffness * half_way_m, viscous_n = damping * half_way_m * kRate;
  char amplitude[32], phase[32];
  std::snprintf(amplitude, sizeof amplitude, "%.9f", std::hypot(elastic_n, viscous_n));
  std::snprintf(phase, sizeof phase, "%.9f", 90.0 + 360.0 / kTwoPi * std::atan2(viscous_n, elastic_n));
  return {"/structure/links/0/damping_n_s_per_m=" + std::to_string(damping),
          std::string("/excitation/signals/0/amplitude_n=") + amplitude,
          std::string("/excitation/signals/0/phase_deg=") + phase,
          "/excitation/signals/1/amplitude_n=" + std::to_string(elastic_n)};
}

}  // namespace hyb::test
