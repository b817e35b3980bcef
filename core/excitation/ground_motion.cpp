#include "core/excitation/ground_motion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/excitation/excitation.h"
#include "core/linalg/fft.h"

namespace hyb {
namespace {

constexpr double kMaxSamples = 4e6;

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

std::size_t resampledSize(std::size_t size, double step_s, double new_step_s) {
  const double last = static_cast<double>(size - 1) * step_s / new_step_s;
  if (!(last < kMaxSamples))
    throw InputError("/loop/rate_hz",
                     "results in more than 4 million ticks over the ground motion; lower the rate or "
                     "shorten the record");
  return static_cast<std::size_t>(last + 1e-6) + 1;
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
  if (!std::isfinite(spec.scale)) issues.push_back({"/scale", "is not a finite number; give one"});
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

}  // namespace

std::vector<double> resample(const std::vector<double>& samples, double step_s, double new_step_s) {
  if (samples.empty() || std::abs(new_step_s - step_s) <= 1e-12 * step_s) return samples;
  static const KaiserSinc kernel;
  const double slow = std::max(1.0, new_step_s / step_s);  // samples in one step of the slower rate
  const double reach = slow * KaiserSinc::half_width, last = static_cast<double>(samples.size() - 1);
  std::vector<double> result(resampledSize(samples.size(), step_s, new_step_s));
  for (std::size_t k = 0; k < result.size(); ++k) {
    const double centre = static_cast<double>(k) * new_step_s / step_s;
    const auto begin = static_cast<std::size_t>(std::max(0.0, std::ceil(centre - reach)));
    const auto end = static_cast<std::size_t>(std::min(last, std::floor(centre + reach)));
    double sum = 0.0;
    for (std::size_t i = begin; i <= end; ++i) sum += samples[i] * kernel((static_cast<double>(i) - centre) / slow);
    result[k] = sum / slow;
  }
  return result;
}

std::unique_ptr<Signal> makeWallMotion(const GroundMotion& record, const GroundMotionSpec& spec, double step_s) {
  check(record, spec, step_s);
  std::vector<double> acceleration = resample(record.acceleration_mps2, record.step_s, step_s);
  const std::size_t ticks = acceleration.size();
  if (ticks < 8) throw InputError("/file", "lasts fewer than 8 ticks; use a longer record or raise the loop rate");
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
    spectrum[i] *= spec.scale * bandPass(static_cast<double>(i) / (static_cast<double>(length) * step_s), spec);
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

std::unique_ptr<Signal> makeGroundAcceleration(const GroundMotion& record, double scale) {
  if (record.acceleration_mps2.size() < 2 || !(record.step_s > 0.0))
    throw InputError("/file", "has no motion; use a record with at least two samples");
  if (!std::isfinite(scale)) throw InputError("/scale", "is not a finite number; give one");
  std::vector<double> samples = record.acceleration_mps2;
  for (double& sample : samples) sample *= scale;
  return std::make_unique<RecordedAcceleration>(record.step_s, std::move(samples));
}

}  // namespace hyb
