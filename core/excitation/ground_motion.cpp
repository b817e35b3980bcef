#include "core/excitation/ground_motion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "core/base/checks.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/excitation/excitation.h"
#include "core/linalg/fft.h"

namespace hyb {
namespace {

constexpr double kMaxSamples = 4e6;
/// A time that is meant to be that of a row may differ from it by this share of a step.
constexpr double kSameRow = 1e-6;

/// Low-pass in units of the slower rate: pass band to 0.45, stop band from 0.5 with 100 dB. Source: J. F. Kaiser,
/// Nonrecursive digital filter design using the I0-sinh window function, ISCAS (1974).
class KaiserSinc {
 public:
  static constexpr int half_width = 65;  // (100 - 7.95) / (14.36 * 0.05) / 2, samples of the slower rate
  KaiserSinc() {
    constexpr double beta = 0.1102 * (100.0 - 8.7), cutoff = 0.475;
    for (std::size_t i = 0; i < table_.size(); ++i) {
      const double x = static_cast<double>(i) / per_sample;
      const double r = std::min(x / half_width, 1.0), angle = 2.0 * kPi * cutoff * x;
      const double sinc = i == 0 ? 1.0 : std::sin(angle) / angle;
      table_[i] =
          2.0 * cutoff * sinc * std::cyl_bessel_i(0.0, beta * std::sqrt(1.0 - r * r)) / std::cyl_bessel_i(0.0, beta);
    }
  }
  /// |x| <= half_width.
  double operator()(double x) const noexcept {
    const double position = std::abs(x) * per_sample;
    const auto i = std::min(static_cast<std::size_t>(position), table_.size() - 2);
    return table_[i] + (position - static_cast<double>(i)) * (table_[i + 1] - table_[i]);
  }

 private:
  static constexpr int per_sample = 1024;  // linear interpolation has an error of -115 dB
  std::array<double, half_width * per_sample + 1> table_;
};

/// Smallest length of at least n with factors 2, 3, 5 only and divisible by 4, for a fast FFT.
std::size_t goodFftLength(std::size_t n) {
  for (std::size_t length = (n + 3) / 4 * 4;; length += 4) {
    std::size_t rest = length;
    for (const std::size_t prime : {2u, 3u, 5u})
      while (rest % prime == 0) rest /= prime;
    if (rest == 1) return length;
  }
}

double bandPass(double f_hz, const GroundMotionSpec& spec) {
  const double low_end = 0.5 * spec.band_low_hz, high_end = 1.25 * spec.band_high_hz;
  return cosineFade(f_hz - low_end, spec.band_low_hz - low_end).value *
         cosineFade(high_end - f_hz, high_end - spec.band_high_hz).value;
}

std::size_t resampledSize(double rows, double step_s, double new_step_s) {
  const double last = rows * step_s / new_step_s;
  if (!(last < kMaxSamples))
    throw InputError("/loop/rate_hz",
                     "results in more than 4 million ticks over the ground motion; lower the rate or "
                     "shorten the record");
  return static_cast<std::size_t>(last + kSameRow) + 1;
}

/// resample() of the rows between two places, which may lie between rows. All samples contribute near both ends.
std::vector<double> resamplePart(const std::vector<double>& samples, double step_s, double new_step_s, double from,
                                 double to) {
  if (std::abs(new_step_s - step_s) <= 1e-12 * step_s && from == std::floor(from))
    return {samples.begin() + static_cast<std::ptrdiff_t>(from), samples.begin() + static_cast<std::ptrdiff_t>(to) + 1};
  static const KaiserSinc kernel;
  const double slow = std::max(1.0, new_step_s / step_s);  // samples in one step of the slower rate
  const double reach = slow * KaiserSinc::half_width, last = static_cast<double>(samples.size() - 1);
  std::vector<double> result(resampledSize(to - from, step_s, new_step_s));
  for (std::size_t k = 0; k < result.size(); ++k) {
    const double centre = from + static_cast<double>(k) * new_step_s / step_s;
    const auto begin = static_cast<std::size_t>(std::max(0.0, std::ceil(centre - reach)));
    const auto end = static_cast<std::size_t>(std::min(last, std::floor(centre + reach)));
    double sum = 0.0;
    for (std::size_t i = begin; i <= end; ++i) sum += samples[i] * kernel((static_cast<double>(i) - centre) / slow);
    result[k] = sum / slow;
  }
  return result;
}

/// Linear between two samples.
double sampleAt(const std::vector<double>& samples, double row) {
  const std::size_t i = std::min(static_cast<std::size_t>(row), samples.size() - 2);
  return samples[i] + (row - static_cast<double>(i)) * (samples[i + 1] - samples[i]);
}

double largestBetween(const std::vector<double>& samples, double from, double to) {
  double largest = std::max(std::abs(sampleAt(samples, from)), std::abs(sampleAt(samples, to)));
  for (double row = std::ceil(from); row <= to; row += 1.0)
    largest = std::max(largest, std::abs(samples[static_cast<std::size_t>(row)]));
  return largest;
}

/// Tapers of a part at a time of its signal.
SignalValue taperAt(const RecordPart& part, double t_s) noexcept {
  const SignalValue in = cosineFade(t_s, part.rise_s), out = cosineFade(part.length_s - t_s, part.fall_s);
  return {in.value * out.value, in.rate * out.value - in.value * out.rate};
}

void check(const GroundMotion& record, const GroundMotionSpec& spec, double step_s) {
  std::vector<Issue> issues;
  if (!(step_s > 0.0 && std::isfinite(step_s)))
    throw InputError("/loop/rate_hz", "is not a finite rate greater than 0; give one");
  if (record.acceleration_mps2.size() < 2 || !(record.step_s > 0.0))
    issues.push_back({"/file", "has no motion; use a record with at least two samples"});
  if (!(spec.band_low_hz > 0.0 && std::isfinite(spec.band_low_hz)))
    issues.push_back({"/band_low_hz", "must be greater than 0, otherwise the wall drifts"});
  if (!(spec.band_high_hz > spec.band_low_hz && spec.band_high_hz < 0.5 / step_s))
    issues.push_back({"/band_high_hz", "must lie above band_low_hz and below half the loop rate"});
  if (spec.peak_m && !(*spec.peak_m > 0.0 && std::isfinite(*spec.peak_m)))
    issues.push_back({"/peak_m", "must be greater than 0"});
  if (!issues.empty()) throw InputError(std::move(issues));
}

class RecordedAcceleration final : public Signal {
 public:
  RecordedAcceleration(double step_s, std::vector<double> samples)
      : rate_hz_(1.0 / step_s), last_(static_cast<std::ptrdiff_t>(samples.size()) - 1), samples_(std::move(samples)) {}
  SignalValue at(double t_s) const noexcept override {
    const Place place = of(t_s);
    return {place.value(), place.change * rate_hz_};
  }
  [[gnu::hot]] double value(double t_s) const noexcept override { return of(t_s).value(); }

 private:
  struct Place {
    double before = 0.0, change = 0.0, share = 0.0;  // between two samples
    double value() const noexcept { return before + share * change; }
  };
  Place of(double t_s) const noexcept {
    const double position = t_s * rate_hz_;
    if (!(position >= 0.0 && position <= static_cast<double>(last_))) return {};
    const std::ptrdiff_t i = std::min(static_cast<std::ptrdiff_t>(position), last_ - 1);
    const double* const from = samples_.data() + i;
    return {from[0], from[1] - from[0], position - static_cast<double>(i)};
  }

  double rate_hz_;
  std::ptrdiff_t last_;
  std::vector<double> samples_;  // m/s^2
};

/// A part of a record that is cut, with its tapers.
class PartOfAcceleration final : public Signal {
 public:
  PartOfAcceleration(const GroundMotion& record, const RecordPart& part)
      : part_(part), rate_hz_(1.0 / record.step_s), tolerance_s_(kSameRow * record.step_s) {
    const double first = std::floor(part.from), end = std::ceil(part.to) + 1.0;
    const auto begin = record.acceleration_mps2.begin();
    samples_.assign(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(end));
    for (double& sample : samples_) sample *= part.scale;
    offset_ = part.from - first;
    last_ = part.to - first;
  }
  SignalValue at(double t_s) const noexcept override {
    // The tolerance keeps the last value in spite of rounded tick times. A NaN fails the comparison.
    if (!(t_s >= 0.0 && t_s <= part_.length_s + tolerance_s_)) return {};
    const double position = std::min(offset_ + t_s * rate_hz_, last_);
    const std::size_t i = std::min(static_cast<std::size_t>(position), samples_.size() - 2);
    const double change = samples_[i + 1] - samples_[i];
    const double value = samples_[i] + (position - static_cast<double>(i)) * change;
    const SignalValue taper = taperAt(part_, t_s);
    return {taper.value * value, taper.value * change * rate_hz_ + taper.rate * value};
  }

 private:
  RecordPart part_;
  double rate_hz_, tolerance_s_;
  double offset_ = 0.0, last_ = 0.0;  // of both ends from the first sample, samples
  std::vector<double> samples_;       // m/s^2
};

}  // namespace

RecordPart partOf(const GroundMotion& record, const GroundMotionSpec& spec) {
  if (record.acceleration_mps2.size() < 2 || !(record.step_s > 0.0))
    throw InputError("/file", "has no motion; use a record with at least two samples");
  const std::vector<double>& samples = record.acceleration_mps2;
  const double last = static_cast<double>(samples.size() - 1), duration_s = last * record.step_s;
  const auto rowOf = [&](double t_s) {
    const double row = t_s / record.step_s, nearest = std::round(row);
    return std::abs(row - nearest) <= kSameRow ? nearest : row;
  };
  RecordPart part;
  part.from = rowOf(spec.from_s);
  part.to = spec.to_s ? rowOf(*spec.to_s) : last;
  part.scale = spec.scale;
  Checks checks;
  if (!std::isfinite(spec.scale)) checks.fault("/scale", "is not a finite number; give one");
  if (!(part.from >= 0.0 && part.from < last))
    checks.fault("/from_s", spec.from_s, "s",
                 "the record lasts from 0 to " + Checks::text(duration_s, "s") + ". Give a time before its end");
  if (!(part.to > 0.0 && part.to <= last))
    checks.fault("/to_s", spec.to_s.value_or(duration_s), "s",
                 "the record lasts from 0 to " + Checks::text(duration_s, "s") +
                     ". Give a time inside, or leave it out for the end of the record");
  if (checks.ok() && !(part.from < part.to))
    checks.fault("/from_s", spec.from_s, "s",
                 "the window ends at " + Checks::text(*spec.to_s, "s") + ". Give an earlier start or a later end");
  checks.throwIfAny();
  part.length_s = (part.to - part.from) * record.step_s;
  if (!(spec.taper_s >= 0.0 && spec.taper_s <= 0.5 * part.length_s * (1.0 + kSameRow)))
    checks.fault("/taper_s", spec.taper_s, "s",
                 "half of the window is " + Checks::text(0.5 * part.length_s, "s") +
                     ". Give a shorter taper or a longer window");
  if (part.from > 0.0) part.rise_s = spec.taper_s;
  if (part.to < last) part.fall_s = spec.taper_s;
  if (spec.peak_mps2) {
    const double largest = largestBetween(samples, part.from, part.to);
    if (!(*spec.peak_mps2 > 0.0 && std::isfinite(*spec.peak_mps2)))
      checks.fault("/peak_mps2", *spec.peak_mps2, "m/s^2", "must be finite and greater than 0");
    else if (!(largest > 0.0))
      checks.fault("/peak_mps2",
                   "cannot be reached: the record is 0 in the whole window. Choose another window or another record");
    part.scale = *spec.peak_mps2 / largest;
  }
  checks.throwIfAny();
  return part;
}

std::vector<double> resample(const std::vector<double>& samples, double step_s, double new_step_s) {
  if (samples.empty()) return samples;
  return resamplePart(samples, step_s, new_step_s, 0.0, static_cast<double>(samples.size() - 1));
}

std::unique_ptr<Signal> makeWallMotion(const GroundMotion& record, const GroundMotionSpec& spec, double step_s) {
  check(record, spec, step_s);
  const RecordPart part = partOf(record, spec);
  std::vector<double> acceleration = resamplePart(record.acceleration_mps2, record.step_s, step_s, part.from, part.to);
  if (part.rise_s > 0.0 || part.fall_s > 0.0)
    for (std::size_t i = 0; i < acceleration.size(); ++i)
      acceleration[i] *= taperAt(part, static_cast<double>(i) * step_s).value;
  const std::size_t ticks = acceleration.size();
  if (ticks < 8)
    throw InputError("/file", "lasts fewer than 8 ticks; use a longer record or window, or raise the loop rate");
  const double duration_s = step_s * static_cast<double>(ticks - 1);

  // Padding keeps the ringing of the low edge (some periods) from wrapping round to the start.
  const double pad_s = std::clamp(10.0 / spec.band_low_hz, duration_s, 2.0 * duration_s);
  const std::size_t length = goodFftLength(ticks + static_cast<std::size_t>(pad_s / step_s));
  acceleration.resize(length, 0.0);
  std::vector<std::complex<double>> spectrum = linalg::halfTransform(acceleration);

  const auto integrate = [&](std::vector<double>& result) {
    spectrum[0] = 0.0;
    for (std::size_t i = 1; i < spectrum.size(); ++i)
      spectrum[i] /=
          std::complex<double>(0.0, 2.0 * kPi * static_cast<double>(i) / (static_cast<double>(length) * step_s));
    result = linalg::inverseHalfTransform(spectrum, length);
    result.resize(ticks);
  };
  for (std::size_t i = 0; i < spectrum.size(); ++i)
    spectrum[i] *= part.scale * bandPass(static_cast<double>(i) / (static_cast<double>(length) * step_s), spec);
  std::vector<double> velocity, displacement;
  integrate(velocity);
  integrate(displacement);

  const double fade_s = std::min(1.0, 0.05 * duration_s);
  double peak_m = 0.0;
  for (std::size_t i = 0; i < ticks; ++i) {
    const double t = static_cast<double>(i) * step_s;
    const SignalValue in = cosineFade(t, fade_s), out = cosineFade(duration_s - t, fade_s);
    velocity[i] = in.value * out.value * velocity[i] + (in.rate * out.value - in.value * out.rate) * displacement[i];
    displacement[i] *= in.value * out.value;
    peak_m = std::max(peak_m, std::abs(displacement[i]));
  }
  if (spec.peak_m) {
    if (!(peak_m > 0.0))
      throw InputError("/peak_m", "cannot be reached: the record has no motion in the band; widen the band");
    for (std::vector<double>* motion : {&velocity, &displacement})
      for (double& value : *motion) value *= *spec.peak_m / peak_m;
  }
  return makeSampled(step_s, std::move(displacement), std::move(velocity));
}

std::unique_ptr<Signal> makeGroundAcceleration(const GroundMotion& record, const GroundMotionSpec& spec) {
  const RecordPart part = partOf(record, spec);
  std::vector<double> samples = record.acceleration_mps2;
  if (part.from > 0.0 || part.to < static_cast<double>(samples.size() - 1))
    return std::make_unique<PartOfAcceleration>(record, part);
  for (double& sample : samples) sample *= part.scale;
  return std::make_unique<RecordedAcceleration>(record.step_s, std::move(samples));
}

std::unique_ptr<Signal> makeGroundAcceleration(const GroundMotion& record, double scale) {
  GroundMotionSpec spec;
  spec.scale = scale;
  return makeGroundAcceleration(record, spec);
}

}  // namespace hyb
