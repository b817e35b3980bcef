#include "core/assess/frf_damping.h"

#include <algorithm>
#include <numbers>

namespace hyb {

std::optional<HalfPower> halfPower(std::span<const double> hz, std::span<const double> amplitude) noexcept {
  const std::size_t count = std::min(hz.size(), amplitude.size());
  if (count < 3) return {};
  const auto peak = static_cast<std::size_t>(
      std::max_element(amplitude.begin(), amplitude.begin() + static_cast<std::ptrdiff_t>(count)) - amplitude.begin());
  const double level = amplitude[peak] / std::numbers::sqrt2;
  std::size_t left = peak, right = peak;
  while (left > 0 && amplitude[left] > level) --left;
  while (right + 1 < count && amplitude[right] > level) ++right;
  if (amplitude[left] > level || amplitude[right] > level) return {};
  const auto crossing = [&](std::size_t below, std::size_t above) {
    return hz[below] + (level - amplitude[below]) / (amplitude[above] - amplitude[below]) * (hz[above] - hz[below]);
  };
  HalfPower found{hz[peak], amplitude[peak], crossing(left, left + 1), crossing(right, right - 1),
                  0.0,      right - left - 1};
  found.ratio = (found.to_hz - found.from_hz) / (2.0 * found.peak_hz);
  return found;
}

}  // namespace hyb
