#include "core/stability/delay_stability.h"

#include <cmath>

#include "core/stability/delayed_loop.h"

namespace hyb {

std::vector<Crossing> crossings(const DelaySystem& system, double cutoff_hz, double max_delay_s) {
  return DelayedLoop(system, cutoff_hz).crossings(max_delay_s);
}

std::optional<Crossing> criticalDelay(const DelaySystem& system, double cutoff_hz, double max_delay_s) {
  return DelayedLoop(system, cutoff_hz).criticalDelay(max_delay_s);
}

double psi(double critical_delay_s) noexcept { return std::log10(1e3 * critical_delay_s); }

}  // namespace hyb
