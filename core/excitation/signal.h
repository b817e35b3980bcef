#pragma once
#include <memory>
#include <string>
#include <vector>

namespace hyb {

/// Value of a signal and its time derivative at one instant. Unit: m or m/s^2 (supports), N (DOF), and per second.
struct SignalValue {
  double value = 0.0;
  double rate = 0.0;
};

/// A function of time. Real-time safe: at() neither allocates nor throws. Zero before t = 0.
class Signal {
 public:
  virtual ~Signal() = default;
  virtual SignalValue at(double t_s) const noexcept = 0;
  /// at(t_s).value without the rate: half of the work for a sine.
  virtual double value(double t_s) const noexcept { return at(t_s).value; }
  /// Frequency of a signal with one fundamental, Hz; 0 for any other, also for sines of several frequencies.
  virtual double frequencyHz() const noexcept { return 0.0; }
};

struct SineSpec {
  double amplitude = 0.0, frequency_hz = 1.0, phase_deg = 0.0;
};
struct MultiSineSpec {
  std::vector<SineSpec> components;
};
struct SweepSpec {
  double amplitude = 0.0, start_hz = 1.0, end_hz = 10.0, duration_s = 30.0;
  bool logarithmic = false;
};
/// Square wave with cosine edges of rise_s, so that its rate exists (peak rate = pi * amplitude / rise_s). Starts in
/// the middle of a rising edge; rise_s is at most half a period, which yields a sine. rise_s 0: the sampled wave, which
/// is plus or minus the amplitude at every time, plus from 0 on; without a rate.
struct SquareSpec {
  double amplitude = 0.0, frequency_hz = 1.0, rise_s = 0.01;
};

/// 0, from start_s the amplitude: at once, or over a cosine edge of rise_s (peak rate = pi / 2 amplitude / rise_s).
struct StepSpec {
  double amplitude = 0.0, start_s = 0.0, rise_s = 0.0;
};

// The factories throw InputError with pointers relative to the signal ("/frequency_hz", "/components/1/amplitude").
// Units of amplitudes are those of the signal, frequencies and durations are greater than 0.

std::unique_ptr<Signal> makeSine(const SineSpec& spec);
std::unique_ptr<Signal> makeMultiSine(const MultiSineSpec& spec);
/// Constant amplitude; holds its end frequency after duration_s.
std::unique_ptr<Signal> makeSweep(const SweepSpec& spec);
std::unique_ptr<Signal> makeSquare(const SquareSpec& spec);
std::unique_ptr<Signal> makeStep(const StepSpec& spec);
/// At least two samples of value and rate at a fixed step from t = 0, cubic Hermite between them; zero outside.
std::unique_ptr<Signal> makeSampled(double step_s, std::vector<double> value, std::vector<double> rate);

}  // namespace hyb
