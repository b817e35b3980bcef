#pragma once
#include <cstddef>
#include <optional>
#include <span>

namespace hyb {

/// Damping read from the peak of a frequency response.
struct HalfPower {
  double peak_hz = 0.0, amplitude = 0.0;  // of the largest point
  double from_hz = 0.0, to_hz = 0.0;      // where the amplitude is that of the peak over sqrt(2)
  double ratio = 0.0;                     // (to - from) / (2 peak), of critical damping
  std::size_t inside = 0;                 // points above that level, the peak among them
};

/// Of the largest amplitude, with straight lines between the points. hz: ascending, [n]; amplitude [n]. None: a side of
/// the peak does not fall to the level within the points. The peak itself is not sought between points: with few of
/// them inside, the ratio is too large.
std::optional<HalfPower> halfPower(std::span<const double> hz, std::span<const double> amplitude) noexcept;

}  // namespace hyb
