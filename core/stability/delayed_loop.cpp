#include "core/stability/delayed_loop.h"

#include <algorithm>
#include <cmath>

#include "core/base/numbers.h"
#include "core/stability/characteristic.h"
#include "core/stability/cutoff_line.h"

namespace hyb {
namespace {

const DelaySystem& sound(const DelaySystem& system, double cutoff_hz) {
  requireSound(system, 0.0, cutoff_hz);
  return system;
}

}  // namespace

DelayedLoop::DelayedLoop(const DelaySystem& system, double cutoff_hz)
    : system_(condensedFor(sound(system, cutoff_hz), cutoff_hz)), cutoff_hz_(cutoff_hz) {}

const std::vector<std::complex<double>>& DelayedLoop::roots() {
  if (!roots_) roots_ = rightmostRoots(system_, 0.0, cutoff_hz_);
  return *roots_;
}

Roots DelayedLoop::countedRoots() {
  Roots found = hyb::countedRoots(system_, 0.0, cutoff_hz_);
  roots_ = found.roots;
  return found;
}

const std::vector<UnitGain>& DelayedLoop::unitGains() {
  if (!unit_gains_) unit_gains_ = hyb::unitGains(system_, kTwoPi * cutoff_hz_);
  return *unit_gains_;
}

std::vector<Crossing> DelayedLoop::crossings(double max_delay_s) {
  requireSound(system_, max_delay_s, cutoff_hz_);
  std::vector<Crossing> result;
  for (const UnitGain& point : unitGains())
    for (double lag = point.lag; lag <= max_delay_s * point.omega; lag += kTwoPi)
      result.push_back({lag / point.omega, point.omega / kTwoPi, point.destabilising});
  std::sort(result.begin(), result.end(), [](const Crossing& a, const Crossing& b) { return a.delay_s < b.delay_s; });
  return result;
}

std::optional<Crossing> DelayedLoop::criticalDelay(double max_delay_s) {
  requireSound(system_, max_delay_s, cutoff_hz_);
  // An undamped structure has its roots on the axis, except for rounding.
  const bool stable = !roots_ && provenStable(system_, cutoff_hz_);
  if (!stable && !roots().empty() && roots().front().real() > 1e-10 * std::abs(roots().front()))
    return Crossing{0.0, roots().front().imag() / kTwoPi};

  std::optional<Crossing> first;
  const std::vector<Crossing> on_axis = crossings(max_delay_s);
  const auto destabilising = std::find_if(on_axis.begin(), on_axis.end(), [](auto& c) { return c.destabilising; });
  if (destabilising != on_axis.end()) first = *destabilising;
  const double longest_s = first ? first->delay_s : max_delay_s;
  if (const std::optional<double> delay_s = firstEntryThroughCutoff(system_, kTwoPi * cutoff_hz_, longest_s))
    first = Crossing{*delay_s, cutoff_hz_, true, true};
  return first;
}

}  // namespace hyb
