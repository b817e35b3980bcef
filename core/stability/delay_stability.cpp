#include "core/stability/delay_stability.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/numbers.h"
#include "core/stability/characteristic.h"
#include "core/stability/cutoff_line.h"
#include "core/stability/loop_gain.h"

namespace hyb {
namespace {

std::vector<Crossing> axisCrossings(const DelaySystem& system, double cutoff_hz, double max_delay_s) {
  std::vector<Crossing> result;
  for (const UnitGain& point : unitGains(system, kTwoPi * cutoff_hz))
    for (double lag = point.lag; lag <= max_delay_s * point.omega; lag += kTwoPi)
      result.push_back({lag / point.omega, point.omega / kTwoPi, point.destabilising});
  std::sort(result.begin(), result.end(), [](const Crossing& a, const Crossing& b) { return a.delay_s < b.delay_s; });
  return result;
}

}  // namespace

std::vector<Crossing> crossings(const DelaySystem& system, double cutoff_hz, double max_delay_s) {
  requireSound(system, max_delay_s, cutoff_hz);
  return axisCrossings(condensedFor(system, cutoff_hz), cutoff_hz, max_delay_s);
}

std::optional<Crossing> criticalDelay(const DelaySystem& whole, double cutoff_hz, double max_delay_s) {
  requireSound(whole, max_delay_s, cutoff_hz);
  const DelaySystem system = condensedFor(whole, cutoff_hz);
  const std::vector<std::complex<double>> roots = rightmostRoots(system, 0.0, cutoff_hz);
  // An undamped structure has its roots on the axis, but for rounding.
  if (!roots.empty() && roots.front().real() > 1e-10 * std::abs(roots.front()))
    return Crossing{0.0, roots.front().imag() / kTwoPi};

  std::optional<Crossing> first;
  const std::vector<Crossing> on_axis = axisCrossings(system, cutoff_hz, max_delay_s);
  const auto destabilising = std::find_if(on_axis.begin(), on_axis.end(), [](auto& c) { return c.destabilising; });
  if (destabilising != on_axis.end()) first = *destabilising;
  const double longest_s = first ? first->delay_s : max_delay_s;
  if (const std::optional<double> delay_s = firstEntryThroughCutoff(system, kTwoPi * cutoff_hz, longest_s))
    first = Crossing{*delay_s, cutoff_hz, true, true};
  return first;
}

double psi(double critical_delay_s) noexcept { return std::log10(1e3 * critical_delay_s); }

}  // namespace hyb
