#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace hyb {

/// A turning point of a motion, between the samples by the parabola through three of them.
struct Extreme {
  double time_s;  // 0 = first sample
  double value;   // unit of the samples
};
/// Alternating upper and lower turning points, each at least `least_swing` (unit of the samples) from the previous one;
/// the ends of the record do not count. Choose least_swing above the peak-to-peak noise. Empty for an invalid record.
std::vector<Extreme> extremes(std::span<const double> samples, double step_s, double least_swing);

/// Free oscillation rest + C e^(-decay t) cos(2 pi f t + phase), read from its turning points.
struct DecayFit {
  double decay_per_s = 0.0;    // delta; negative: the motion grows. Damping of one mass: d = 2 m delta
  double frequency_hz = 0.0;   // of the damped oscillation, from the times of the turning points
  double damping_ratio = 0.0;  // delta / sqrt(delta^2 + w^2)
  double scatter = 0.0;        // rms of ln(size) about the straight line: 0 for a linear oscillator without noise
  std::size_t used = 0;        // sizes in the regression
};
/// Regression of ln|extreme - rest| over time (note D10.3: the first 6 to 10). Without a rest position it uses the
/// swings between neighbours, which decay equally. `least_swing` 0: a two-hundredth of the record's range. None: fewer
/// than three values, or invalid input.
std::optional<DecayFit> fitDecay(std::span<const double> samples, double step_s,
                                 std::optional<double> rest = std::nullopt, std::size_t most_extremes = 10,
                                 double least_swing = 0.0);

}  // namespace hyb
