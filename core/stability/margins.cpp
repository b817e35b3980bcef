#include "core/stability/margins.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/minimum.h"
#include "core/base/numbers.h"
#include "core/stability/characteristic.h"
#include "core/stability/loop_gain.h"

namespace hyb {
namespace {

using Complex = std::complex<double>;

void requireOneInterface(const DelaySystem& system) {
  if (system.partition.interface.size() != 1)
    throw InputError(
        "/partition",
        "has " + std::to_string(system.partition.interface.size()) +
            " interface degrees of freedom; gain and phase margins need exactly one, use the critical delay");
}

DelaySystem prepared(const DelaySystem& system, double delay_s, double cutoff_hz) {
  requireSound(system, delay_s, cutoff_hz);
  requireOneInterface(system);
  return condensedFor(system, cutoff_hz);
}

Complex sensitivity(const LoopGain& gain, double delay_s, double omega) {
  const Complex s(0.0, omega), open = gain.at(s)[0] * std::exp(-s * delay_s);
  return open / (1.0 + open);
}

}  // namespace

double toleratedDelay(double phase_margin_deg, double frequency_hz) noexcept {
  return phase_margin_deg / (360.0 * frequency_hz);
}

std::vector<GainCrossover> gainCrossovers(const DelaySystem& system, double cutoff_hz) {
  DelayedLoop loop(system, cutoff_hz);
  return gainCrossovers(loop);
}

std::vector<GainCrossover> gainCrossovers(DelayedLoop& loop) {
  requireOneInterface(loop.system());
  std::vector<GainCrossover> result;
  for (const UnitGain& point : loop.unitGains()) {
    const double frequency_hz = point.omega / kTwoPi, margin_deg = point.lag * 360.0 / kTwoPi;
    result.push_back({frequency_hz, margin_deg, toleratedDelay(margin_deg, frequency_hz)});
  }
  std::sort(result.begin(), result.end(), [](auto& a, auto& b) { return a.frequency_hz < b.frequency_hz; });
  return result;
}

Complex complementarySensitivity(const DelaySystem& system, double delay_s, double frequency_hz) {
  const DelaySystem small = prepared(system, delay_s, frequency_hz);
  return sensitivity(LoopGain(small), delay_s, kTwoPi * frequency_hz);
}

Peak peakComplementarySensitivity(const DelaySystem& system, double delay_s, double cutoff_hz) {
  const DelaySystem small = prepared(system, delay_s, cutoff_hz);
  const LoopGain gain(small);
  const auto magnitude = [&](double omega) { return std::abs(sensitivity(gain, delay_s, omega)); };
  const std::vector<double> grid = gain.grid(kTwoPi * cutoff_hz);
  std::vector<double> sampled;
  for (const double omega : grid) sampled.push_back(magnitude(omega));
  const auto best = static_cast<std::size_t>(std::max_element(sampled.begin(), sampled.end()) - sampled.begin());
  const double low = grid[best > 0 ? best - 1 : 0], high = grid[std::min(best + 1, grid.size() - 1)];
  const auto [omega, negative] = minimumOf([&](double at) { return -magnitude(at); }, low, high);
  return {-negative, omega / kTwoPi};
}

}  // namespace hyb
