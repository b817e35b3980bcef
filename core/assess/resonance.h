#pragma once
#include <complex>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/base/json_fwd.h"
#include "core/run/run_record.h"

namespace hyb {

/// A point of a frequency response: motion at a frequency, in any unit.
struct ResponsePoint {
  double hz = 0.0;
  std::complex<double> motion;
};

/// Damping from the frequencies at which the motion is 1/sqrt 2 of the largest point, with linear interpolation. With
/// few points inside, the peak may lie between two points and the ratio is too large.
struct HalfPower {
  double from_hz = 0.0, to_hz = 0.0, ratio = 0.0;
  std::size_t inside = 0;  // points above that level, including the largest
};

/// The largest resonance of a response.
struct Resonance {
  double peak_hz = 0.0, peak = 0.0;     // of the largest point
  std::optional<HalfPower> half_power;  // none: its frequencies lie outside the sweep
  /// Damping ratio and natural frequency from the circle of the velocity around the resonance, shifted and rotated by
  /// other modes. Centre and radius by least squares, angle a - 2 atan((w^2 - w_0^2)/(2 z w_0 w)). None: fewer than
  /// five points above a quarter of the peak, or no circle.
  std::optional<double> circle, circle_hz;
};
/// Points in any order. None: fewer than three points, or the largest is at an end.
std::optional<Resonance> resonanceOf(std::vector<ResponsePoint> points);

/// For each pass of a sweep, from the balanced points of the first interface motion: "pass", "level", "peak_hz", "peak"
/// (m or rad), "half_power_percent", "circle_percent", "circle_hz" (null: none). Empty: no pass.
Json resonances(const RunRecord& run);

}  // namespace hyb
