#pragma once
#include <cstddef>
#include <optional>
#include <span>

namespace hyb {

/// offset + amplitude e^(-decay t) cos(2 pi f t + phase), t = 0 at the first sample.
struct DecayingSine {
  double offset = 0.0, amplitude = 0.0;  // unit of the samples
  double decay_per_s = 0.0;              // negative: the motion grows
  double frequency_hz = 0.0;             // of the damped oscillation
  double phase_deg = 0.0;
  double explained = 0.0;  // share of the record's variance, 1 = all of it
  double at(double time_s) const;
};
/// Least-squares fit of one decaying sine with a constant, for records too short for a spectrum (a contact of 1.5 s has
/// bins of 0.67 Hz; note D10.3): from half a period on, exact for such a motion. Starts from ESPRIT of order three (Roy
/// and Kailath 1989), ends with Gauss-Newton for decay and frequency. None: fewer than 12 samples, a sample is not a
/// number, or no oscillation in the record.
std::optional<DecayingSine> fitDecayingSine(std::span<const double> samples, double step_s);

/// Sample from which a released structure swings in one mode: one period of the dominant peak after the first, when the
/// actuators' own transients have decayed; at most half of the record. None: the spectrum has no peak.
std::optional<std::size_t> settledFrom(std::span<const double> samples, double step_s);

}  // namespace hyb
