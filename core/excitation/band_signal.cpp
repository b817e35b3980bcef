#include "core/excitation/band_signal.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <random>

#include "core/base/figure_text.h"
#include "core/base/numbers.h"
#include "core/linalg/fft.h"

namespace hyb {
namespace {

using Complex = std::complex<double>;

constexpr int kClippings = 100, kFewestClippings = 5;
constexpr std::size_t kMostClipped = 400'000;         // samples in all: a project is parsed at every edit
constexpr double kFirstClip = 0.7, kLastClip = 0.98;  // of the largest value: first strong, then weak
constexpr std::size_t kPerCycle = 16;  // samples in a cycle of the highest line: peaks are resolved to 2 %
constexpr double kDegPerRad = 180.0 / kPi;
constexpr double kSlack = 1e-9;  // of a line: tolerance for decimal values on a line

struct Lines {
  long long first = 1, last = 0;
  std::size_t count() const { return last < first ? 0 : static_cast<std::size_t>(last - first + 1); }
};
Lines linesOf(const BandSpec& spec) {
  return {std::max(1LL, static_cast<long long>(std::ceil(spec.from_hz * spec.period_s - kSlack))),
          static_cast<long long>(std::floor(spec.to_hz * spec.period_s + kSlack))};
}

/// One period of a sum of sines with these amplitudes and phases, whose lines are multiples of 1 / period.
class Period {
 public:
  explicit Period(const Lines& lines)
      : lines_(lines),
        samples_(2 * linalg::fastLength(kPerCycle / 2 * static_cast<std::size_t>(lines.last))),
        bins_(samples_ / 2 + 1) {}

  std::vector<double> samples(const std::vector<double>& amplitudes, const std::vector<double>& phases) {
    std::fill(bins_.begin(), bins_.end(), Complex());
    for (std::size_t i = 0; i < phases.size(); ++i)
      bins_[bin(i)] = std::polar(0.5 * static_cast<double>(samples_) * amplitudes[i], phases[i] - 0.5 * kPi);
    return linalg::inverseHalfTransform(bins_, samples_);
  }
  /// Phases of the lines in these samples.
  std::vector<double> phases(const std::vector<double>& samples) const {
    const std::vector<Complex> bins = linalg::halfTransform(samples);
    std::vector<double> phases(lines_.count());
    for (std::size_t i = 0; i < phases.size(); ++i) phases[i] = std::arg(bins[bin(i)]) + 0.5 * kPi;
    return phases;
  }

 private:
  std::size_t bin(std::size_t line) const { return static_cast<std::size_t>(lines_.first) + line; }
  Lines lines_;
  std::size_t samples_;
  std::vector<Complex> bins_;
};

double peakOf(const std::vector<double>& samples) {
  double peak = 0.0;
  for (const double value : samples) peak = std::max(peak, std::abs(value));
  return peak;
}

MultiSineSpec sines(const BandSpec& spec, const Lines& lines, const std::vector<double>& phases, double amplitude) {
  MultiSineSpec sum;
  for (std::size_t i = 0; i < phases.size(); ++i)
    sum.components.push_back({amplitude, static_cast<double>(lines.first + static_cast<long long>(i)) / spec.period_s,
                              std::remainder(phases[i], kTwoPi) * kDegPerRad});
  return sum;
}

bool sound(const BandSpec& spec) {
  Checks checks;
  checkBand(checks, spec);
  return checks.ok();
}

}  // namespace

void checkBand(Checks& checks, const BandSpec& spec) {
  if (!std::isfinite(spec.amplitude)) checks.fault("/amplitude", spec.amplitude, "", "must be finite");
  const bool from = checks.positive("/from_hz", spec.from_hz, "Hz"), to = checks.positive("/to_hz", spec.to_hz, "Hz"),
             period = checks.positive("/period_s", spec.period_s, "s");
  if (!from || !to || !period) return;
  if (!(spec.from_hz < spec.to_hz)) {
    checks.fault("/to_hz", spec.to_hz, "Hz",
                 "must lie above the lower end of the band, " + Checks::text(spec.from_hz, "Hz"));
    return;
  }
  const double lines = std::floor((spec.to_hz - spec.from_hz) * spec.period_s + kSlack) + 1.0;
  if (lines > kMostBandLines + 1 || linesOf(spec).count() > static_cast<std::size_t>(kMostBandLines))
    checks.fault("/period_s", spec.period_s, "s",
                 "results in " + figureText(lines, 4) + " sines in this band, but a tick can add at most " +
                     std::to_string(kMostBandLines) + "; shorten the period, or narrow the band");
  else if (linesOf(spec).count() == 0)
    checks.fault("/period_s", spec.period_s, "s",
                 "results in no sine in this band, because sines are " + figureText(1.0 / spec.period_s) +
                     " Hz apart; lengthen the period");
  else if (constexpr double kMostCycles = 1e5; spec.to_hz * spec.period_s > kMostCycles)
    checks.fault("/period_s", spec.period_s, "s", "has more than 100000 cycles of the highest sine; shorten it");
}

MultiSineSpec lowCrestSines(const BandSpec& spec) {
  if (!sound(spec)) return {{{spec.amplitude, spec.from_hz, 0.0}}};
  const Lines lines = linesOf(spec);
  const auto count = static_cast<double>(lines.count());
  std::vector<double> phases(lines.count());
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const auto n = static_cast<double>(i + 1);
    phases[i] = -kPi * n * (n - 1.0) / count;
  }
  const std::vector<double> ones(phases.size(), 1.0);
  Period period(lines);
  std::vector<double> samples = period.samples(ones, phases), best = phases;
  double peak = peakOf(samples), lowest = peak;
  const int clippings = std::clamp(static_cast<int>(kMostClipped / samples.size()), kFewestClippings, kClippings);
  for (int i = 0; i < clippings; ++i) {
    const double most = (kFirstClip + (kLastClip - kFirstClip) * i / clippings) * peak;
    for (double& value : samples) value = std::clamp(value, -most, most);
    phases = period.phases(samples);
    samples = period.samples(ones, phases);
    peak = peakOf(samples);
    if (peak < lowest) {
      lowest = peak;
      best = phases;
    }
  }
  return sines(spec, lines, best, spec.amplitude / lowest);
}

MultiSineSpec bandNoise(const BandSpec& spec, std::uint64_t seed) {
  if (!sound(spec)) return {{{spec.amplitude, spec.from_hz, 0.0}}};
  const Lines lines = linesOf(spec);
  std::mt19937_64 random(seed);
  std::vector<double> phases(lines.count());
  constexpr double kSteps = 0x1p53;  // the distributions of the standard differ between libraries
  for (double& phase : phases) phase = kTwoPi * static_cast<double>(random() >> 11U) / kSteps;
  const double peak = peakOf(Period(lines).samples(std::vector<double>(phases.size(), 1.0), phases));
  return sines(spec, lines, phases, spec.amplitude / peak);
}

double crestFactor(const MultiSineSpec& sum, double period_s) {
  double squares = 0.0, highest_hz = 0.0;
  for (const SineSpec& sine : sum.components) {
    squares += 0.5 * sine.amplitude * sine.amplitude;
    highest_hz = std::max(highest_hz, sine.frequency_hz);
  }
  if (!(squares > 0.0)) return kNoValue;
  const std::unique_ptr<Signal> signal = makeMultiSine(sum);
  const auto samples = static_cast<int>(std::ceil(8.0 * kPerCycle * highest_hz * period_s));
  double peak = 0.0;
  for (int k = 0; k < samples; ++k) peak = std::max(peak, std::abs(signal->at(period_s * k / samples).value));
  return peak / std::sqrt(squares);
}

}  // namespace hyb
