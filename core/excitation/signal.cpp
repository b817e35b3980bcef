#include "core/excitation/signal.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/excitation/even_sines.h"

namespace hyb {
namespace {

/// Collects faults of one signal; pointers relative to it.
class Check {
 public:
  void finite(const std::string& pointer, double value) {
    if (!std::isfinite(value)) issues_.push_back({pointer, "is not a finite number; give one"});
  }
  void positive(const std::string& pointer, double value) {
    if (!std::isfinite(value) || value <= 0.0)
      issues_.push_back({pointer, std::to_string(value) + " is not allowed; give a finite value greater than 0"});
  }
  void notNegative(const std::string& pointer, double value) {
    if (!std::isfinite(value) || value < 0.0)
      issues_.push_back({pointer, std::to_string(value) + " is not allowed; give a finite value of at least 0"});
  }
  void require(bool good, const std::string& pointer, const std::string& message) {
    if (!good) issues_.push_back({pointer, message});
  }
  void done() {
    if (!issues_.empty()) throw InputError(std::move(issues_));
  }

 private:
  std::vector<Issue> issues_;
};

class Sines final : public Signal {
 public:
  Sines(std::vector<Tone> tones, double frequency_hz) : tones_(std::move(tones)), frequency_hz_(frequency_hz) {}
  SignalValue at(double t_s) const noexcept override {
    SignalValue sum;
    if (t_s < 0.0) return sum;
    for (const Tone& tone : tones_) {
      const double angle = tone.omega * t_s + tone.phase;
      sum.value += tone.amplitude * std::sin(angle);
      sum.rate += tone.amplitude * tone.omega * std::cos(angle);
    }
    return sum;
  }
  double value(double t_s) const noexcept override {
    double sum = 0.0;
    if (t_s < 0.0) return sum;
    for (const Tone& tone : tones_) sum += tone.amplitude * std::sin(tone.omega * t_s + tone.phase);
    return sum;
  }
  double frequencyHz() const noexcept override { return frequency_hz_; }

 private:
  std::vector<Tone> tones_;
  double frequency_hz_;
};

/// Source of the logarithmic phase: A. Farina, Simultaneous measurement of impulse response and distortion with a
/// swept-sine technique, AES 108 (2000).
class Sweep final : public Signal {
 public:
  explicit Sweep(const SweepSpec& spec)
      : spec_(spec), log_ratio_(spec.logarithmic ? std::log(spec.end_hz / spec.start_hz) : 0.0) {
    end_cycles_ = cycles(spec.duration_s);
  }
  SignalValue at(double t_s) const noexcept override {
    if (t_s < 0.0) return {};
    const double now = angle(t_s), frequency_hz = t_s > spec_.duration_s ? spec_.end_hz : frequency(t_s);
    return {spec_.amplitude * std::sin(now), spec_.amplitude * kTwoPi * frequency_hz * std::cos(now)};
  }
  double value(double t_s) const noexcept override { return t_s < 0.0 ? 0.0 : spec_.amplitude * std::sin(angle(t_s)); }

 private:
  double angle(double t_s) const noexcept {
    const double late = t_s - spec_.duration_s;
    return kTwoPi * (late > 0.0 ? end_cycles_ + spec_.end_hz * late : cycles(t_s));
  }
  double frequency(double t_s) const noexcept {
    const double share = t_s / spec_.duration_s;
    return spec_.logarithmic ? spec_.start_hz * std::exp(log_ratio_ * share)
                             : spec_.start_hz + (spec_.end_hz - spec_.start_hz) * share;
  }
  double cycles(double t_s) const noexcept {
    const double share = t_s / spec_.duration_s;
    if (!spec_.logarithmic) return t_s * (spec_.start_hz + 0.5 * (spec_.end_hz - spec_.start_hz) * share);
    const double growth = log_ratio_ * share;
    return spec_.start_hz * t_s * (growth == 0.0 ? 1.0 : std::expm1(growth) / growth);
  }

  SweepSpec spec_;
  double log_ratio_;
  double end_cycles_ = 0.0;
};

/// Starts in the middle of a rising edge, like a sine.
class Square final : public Signal {
 public:
  explicit Square(const SquareSpec& spec) : spec_(spec) {}
  SignalValue at(double t_s) const noexcept override {
    if (t_s < 0.0) return {};
    const double half_period_s = 0.5 / spec_.frequency_hz;
    if (spec_.rise_s == 0.0) {
      // A tick beside an edge within the rounding of its time is on it.
      constexpr double kRounding = 1e-6;
      const double halves = t_s / half_period_s, nearest = std::round(halves);
      const double half = std::abs(halves - nearest) < kRounding ? nearest : std::floor(halves);
      return {std::fmod(half, 2.0) == 0.0 ? spec_.amplitude : -spec_.amplitude, 0.0};
    }
    const double edge = std::round(t_s / half_period_s);  // the nearest edge; even ones rise
    const double sign = std::fmod(edge, 2.0) == 0.0 ? 1.0 : -1.0;
    const double angle = kPi * (t_s - edge * half_period_s) / spec_.rise_s;
    const double peak = sign * spec_.amplitude;
    if (std::abs(angle) >= 0.5 * kPi) return {std::copysign(1.0, angle) * peak, 0.0};
    return {peak * std::sin(angle), peak * kPi / spec_.rise_s * std::cos(angle)};
  }
  double frequencyHz() const noexcept override { return spec_.frequency_hz; }

 private:
  SquareSpec spec_;
};

class Step final : public Signal {
 public:
  explicit Step(const StepSpec& spec) : spec_(spec) {}
  SignalValue at(double t_s) const noexcept override {
    const double since_s = t_s - spec_.start_s;
    if (t_s < 0.0 || since_s < 0.0) return {};
    if (since_s >= spec_.rise_s) return {spec_.amplitude, 0.0};
    const double angle = kPi * since_s / spec_.rise_s;
    return {0.5 * spec_.amplitude * (1.0 - std::cos(angle)),
            0.5 * spec_.amplitude * kPi / spec_.rise_s * std::sin(angle)};
  }

 private:
  StepSpec spec_;
};

class Sampled final : public Signal {
 public:
  Sampled(double step_s, std::vector<double> value, std::vector<double> rate)
      : step_s_(step_s), value_(std::move(value)), rate_(std::move(rate)) {}
  SignalValue at(double t_s) const noexcept override {
    const double position = t_s / step_s_;
    const std::size_t last = value_.size() - 1;
    // The tolerance keeps the last sample in spite of rounded tick times. A NaN fails the comparison.
    if (!(position >= 0.0 && position <= static_cast<double>(last) + 1e-6)) return {};
    const std::size_t i = std::min(static_cast<std::size_t>(position), last - 1);
    const double u = std::min(position - static_cast<double>(i), 1.0);
    const double rise = value_[i + 1] - value_[i];
    const double left = step_s_ * rate_[i] - rise, right = rise - step_s_ * rate_[i + 1];
    const double bend = (1.0 - u) * left + u * right;
    return {value_[i] + u * (rise + (1.0 - u) * bend),
            (rise + (1.0 - 2.0 * u) * bend + u * (1.0 - u) * (right - left)) / step_s_};
  }

 private:
  double step_s_;
  std::vector<double> value_, rate_;
};

}  // namespace

std::unique_ptr<Signal> makeSine(const SineSpec& spec) {
  Check check;
  check.finite("/amplitude", spec.amplitude);
  check.positive("/frequency_hz", spec.frequency_hz);
  check.finite("/phase_deg", spec.phase_deg);
  check.done();
  return makeMultiSine({{spec}});
}

namespace {

/// The sines of a spec, and their frequency if it is common to all, else 0. Throws InputError.
std::pair<std::vector<Tone>, double> tonesOf(const MultiSineSpec& spec) {
  Check check;
  check.require(!spec.components.empty(), "/components", "is empty; give at least one sine");
  std::vector<Tone> tones;
  double common_hz = spec.components.empty() ? 0.0 : spec.components.front().frequency_hz;
  for (std::size_t i = 0; i < spec.components.size(); ++i) {
    const SineSpec& sine = spec.components[i];
    const std::string pointer = "/components/" + std::to_string(i);
    check.finite(pointer + "/amplitude", sine.amplitude);
    check.positive(pointer + "/frequency_hz", sine.frequency_hz);
    check.finite(pointer + "/phase_deg", sine.phase_deg);
    tones.push_back({sine.amplitude, kTwoPi * sine.frequency_hz, sine.phase_deg * kPi / 180.0});
    if (sine.frequency_hz != common_hz) common_hz = 0.0;
  }
  check.done();
  return {std::move(tones), common_hz};
}

}  // namespace

std::unique_ptr<Signal> makeMultiSine(const MultiSineSpec& spec) {
  auto [tones, common_hz] = tonesOf(spec);
  if (auto even = makeEvenSines(tones)) return even;
  return std::make_unique<Sines>(std::move(tones), common_hz);
}

std::unique_ptr<Signal> makeMultiSine(const MultiSineSpec& spec, const TickTimes& ticks) {
  if (auto even = makeEvenSines(tonesOf(spec).first, ticks)) return even;
  return makeMultiSine(spec);
}

std::unique_ptr<Signal> makeSweep(const SweepSpec& spec) {
  Check check;
  check.finite("/amplitude", spec.amplitude);
  check.positive("/start_hz", spec.start_hz);
  check.positive("/end_hz", spec.end_hz);
  check.positive("/duration_s", spec.duration_s);
  check.done();
  return std::make_unique<Sweep>(spec);
}

std::unique_ptr<Signal> makeSquare(const SquareSpec& spec) {
  Check check;
  check.finite("/amplitude", spec.amplitude);
  check.positive("/frequency_hz", spec.frequency_hz);
  check.notNegative("/rise_s", spec.rise_s);
  check.require(!(spec.rise_s * spec.frequency_hz > 0.5), "/rise_s",
                std::to_string(spec.rise_s) + " s is longer than half a period; shorten it or lower frequency_hz");
  check.done();
  return std::make_unique<Square>(spec);
}

std::unique_ptr<Signal> makeStep(const StepSpec& spec) {
  Check check;
  check.finite("/amplitude", spec.amplitude);
  check.notNegative("/start_s", spec.start_s);
  check.notNegative("/rise_s", spec.rise_s);
  check.done();
  return std::make_unique<Step>(spec);
}

std::unique_ptr<Signal> makeSampled(double step_s, std::vector<double> value, std::vector<double> rate) {
  Check check;
  check.positive("/step_s", step_s);
  check.require(value.size() >= 2, "/value", "has fewer than 2 samples; add samples");
  check.require(value.size() == rate.size(), "/rate", "differs from value in length; give one rate per value");
  const auto allFinite = [](const std::vector<double>& list) {
    return std::all_of(list.begin(), list.end(), [](double v) { return std::isfinite(v); });
  };
  check.require(allFinite(value), "/value", "has samples that are not finite; remove them");
  check.require(allFinite(rate), "/rate", "has samples that are not finite; remove them");
  check.done();
  return std::make_unique<Sampled>(step_s, std::move(value), std::move(rate));
}

}  // namespace hyb
