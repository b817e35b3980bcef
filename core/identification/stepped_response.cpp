#include "core/identification/stepped_response.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/numbers.h"
#include "core/fidelity/harmonic_fit.h"

namespace hyb {
namespace {

using Complex = std::complex<double>;

constexpr double kFewestRowsOfPhasor = 8.0;
constexpr double kOutside = 0.05, kRarely = 0.001;
constexpr double kLeastChange = 0.01;  // of the response: smaller changes are in the radius and not worth a sentence
constexpr double kSineShare = 0.5;     // of the input's phasors that must agree from period to period
constexpr double kOfHalves = 1.5;      // of what the halves differ by: where motion falls to a half between them
constexpr double kLeastRadius = 1e-9;  // of the response: no radius is smaller

/// Complex amplitudes of successive whole periods.
struct Periods {
  std::vector<Complex> input, output;
  std::size_t count() const noexcept { return input.size(); }
};

class SteppedRecord {
 public:
  SteppedRecord(std::span<const double> input, std::span<const double> output, double rate_hz, double first_s)
      : input_(input),
        output_(output),
        rows_(static_cast<double>(std::min(input.size(), output.size()))),
        rate_hz_(rate_hz),
        first_s_(first_s) {}
  /// The row at or after a time; it may lie outside the record.
  double rowAt(double t_s) const noexcept { return std::ceil((t_s - first_s_) * rate_hz_ - kSameRow); }
  bool holds(double from_s, double to_s) const noexcept { return rowAt(from_s) >= 0.0 && rowAt(to_s) <= rows_; }
  /// Adds the amplitudes of [from_s, to_s), with the angle of the sine at the time 0 of the steps.
  void add(double frequency_hz, double from_s, double to_s, Periods& to) const {
    const double from = rowAt(from_s), end = rowAt(to_s), w = kTwoPi * frequency_hz, step_s = 1.0 / rate_hz_;
    const auto first = static_cast<std::size_t>(from), count = static_cast<std::size_t>(end - from);
    const double middle_s = first_s_ + 0.5 * (from + end - 1.0) * step_s;
    const Complex turn = std::polar(1.0, -w * middle_s);
    const HarmonicFit in = fitHarmonic(input_.subspan(first, count), step_s, w),
                      out = fitHarmonic(output_.subspan(first, count), step_s, w);
    to.input.push_back(turn * in.amplitude);
    to.output.push_back(turn * out.amplitude);
  }

 private:
  static constexpr double kSameRow = 1e-6;
  std::span<const double> input_, output_;
  double rows_, rate_hz_, first_s_;
};

Complex meanOf(const std::vector<Complex>& values) {
  return std::accumulate(values.begin(), values.end(), Complex()) / static_cast<double>(values.size());
}

/// Quantile of the F distribution with 2 and 2 n - 2 degrees of freedom.
double quantile(double n, double outside) { return (n - 1.0) * (std::pow(outside, -1.0 / (n - 1.0)) - 1.0); }

/// Output without the response times input, over the mean input: what each period differs by.
std::vector<Complex> differences(std::span<const Complex> input, std::span<const Complex> output, Complex response) {
  Complex sum;
  for (const Complex value : input) sum += value;
  const Complex mean = sum / static_cast<double>(input.size());
  std::vector<Complex> all;
  for (std::size_t k = 0; k < input.size(); ++k) all.push_back((output[k] - response * input[k]) / mean);
  return all;
}

/// Part of the input's power in its mean phasor: 1 for a steady sine of this frequency, 1 / n for another input.
double steadiness(const std::vector<Complex>& input) {
  double squares = 0.0;
  for (const Complex value : input) squares += std::norm(value);
  return squares > 0.0 ? std::norm(meanOf(input)) * static_cast<double>(input.size()) / squares : 0.0;
}

/// Change of the response between two windows.
struct Settling {
  Complex change;
  double spread = 0.0;  // variance of the change over that of a phasor, if it is only scatter
  double left = 1.0;    // share of the change that is still to come
};
/// Windows of equal length in equal distance: at the start of the settling, in its middle, and at the start of the
/// measured periods. A vibration that decays by q (complex, for it may beat) over the distance changes by (1 - q)/q of
/// what is left at the end from middle to end, and by (1 - q^2)/q^2 from start to end. Their ratio r = |q/(1 + q)|
/// bounds what is left of the first by r/(1 - 2 r). No more than all of it is assumed, as slow decay cannot be told
/// from scatter.
Settling settlingOf(const Periods& early, const Periods& late, const Periods& measured, Complex response) {
  const auto mean = [&](const Periods& of, std::size_t first, std::size_t count) {
    return meanOf(
        differences(std::span(of.input).subspan(first, count), std::span(of.output).subspan(first, count), response));
  };
  Settling found;
  const std::size_t length = late.count();
  if (length == 0) {  // no settling: the first half of the measured periods against the second one
    const std::size_t half = measured.count() / 2, rest = measured.count() - half;
    found.change = mean(measured, 0, half) - mean(measured, half, rest);
    found.spread = 1.0 / static_cast<double>(half) + 1.0 / static_cast<double>(rest);
    found.left = kOfHalves;
    return found;
  }
  const Complex end = mean(measured, 0, length);
  found.change = mean(late, 0, length) - end;
  found.spread = 2.0 / static_cast<double>(length);
  if (early.count() != length) return found;
  const double r = std::abs(found.change) / std::abs(mean(early, 0, length) - end);
  if (r < 1.0 / 3.0) found.left = r / (1.0 - 2.0 * r);
  return found;
}

std::pair<ResponseLine, StepPhasors> lineOf(double frequency_hz, const Periods& early, const Periods& late,
                                            const Periods& measured) {
  const Complex input = meanOf(measured.input), response = meanOf(measured.output) / input;
  const auto n = static_cast<double>(measured.count());
  StepPhasors phasors;
  phasors.periods = differences(measured.input, measured.output, response);
  double squares = 0.0;
  for (Complex& phasor : phasors.periods) {
    squares += std::norm(phasor);
    phasor += response;
  }
  ResponseLine line;
  line.frequency_hz = frequency_hz;
  line.h1 = response;
  Complex cross;
  double in = 0.0, out = 0.0;
  for (std::size_t k = 0; k < measured.count(); ++k) {
    cross += std::conj(measured.input[k]) * measured.output[k];
    in += std::norm(measured.input[k]);
    out += std::norm(measured.output[k]);
  }
  line.coherence = out > 0.0 ? std::clamp(std::norm(cross) / (in * out), 0.0, 1.0) : 0.0;
  line.h2 = std::norm(cross) > 0.0 ? out / std::conj(cross) : Complex(std::numeric_limits<double>::infinity());
  line.input_power = 0.5 * std::norm(input);
  if (n < 2.0) {
    phasors.scatter = line.radius = line.random_error = line.magnitude_error = std::numeric_limits<double>::infinity();
    return {line, phasors};
  }
  const double variance = squares / (n - 1.0);
  phasors.scatter = std::sqrt(variance);
  const Settling settling = settlingOf(early, late, measured, response);
  phasors.settling = settling.left * std::sqrt(std::max(0.0, std::norm(settling.change) - variance * settling.spread));
  phasors.settled = !(std::norm(settling.change) > variance * settling.spread * quantile(n, kRarely)) ||
                    settling.left * std::abs(settling.change) <= kLeastChange * std::abs(response);
  line.radius = std::sqrt(variance * quantile(n, kOutside) / n) + phasors.settling + kLeastRadius * std::abs(response);
  line.magnitude_error = line.radius;
  line.random_error = std::sqrt(0.5 * variance / n) / std::abs(response);
  return {line, phasors};
}

}  // namespace

SteppedResponse steppedResponse(std::span<const double> input, std::span<const double> output, double rate_hz,
                                double first_s, std::span<const SineStep> steps) {
  const SteppedRecord record(input, output, rate_hz, first_s);
  SteppedResponse found;
  std::vector<std::pair<ResponseLine, StepPhasors>> lines;
  std::size_t periods = std::numeric_limits<std::size_t>::max();
  for (const SineStep& step : steps) {
    // A command may be ahead of its row by a tick: the next frequency begins before the end.
    const double end_s = step.end_s - 2.0 / rate_hz;
    if (!record.holds(step.measured_s, end_s)) {
      ++found.outside;
      continue;
    }
    const double part_s = std::ceil(kFewestRowsOfPhasor * step.frequency_hz / rate_hz) / step.frequency_hz;
    const auto partsIn = [&](double seconds) { return static_cast<int>(std::floor(seconds / part_s + 1e-6)); };
    const int count = partsIn(step.end_s - step.measured_s), before = partsIn(step.measured_s - step.start_s);
    const int half = before / 2, length = std::min(count, std::max(half, std::min(before, 1)));
    const auto window = [&](int first, int parts) {
      Periods periods_of;
      for (int k = first; k < first + parts; ++k) {
        const double from_s = step.measured_s + k * part_s, to_s = std::min(from_s + part_s, end_s);
        if (record.holds(from_s, to_s)) record.add(step.frequency_hz, from_s, to_s, periods_of);
      }
      return periods_of;
    };
    const Periods measured = window(0, count), late = window(-std::max(half, 1), length),
                  early = window(-2 * half, half > 0 ? length : 0);
    if (measured.count() == 0 || !(steadiness(measured.input) > kSineShare)) {
      ++found.without;
      continue;
    }
    periods = std::min(periods, measured.count());
    lines.push_back(lineOf(step.frequency_hz, early, late, measured));
  }
  std::ranges::stable_sort(lines, {}, [](const auto& line) { return line.first.frequency_hz; });
  for (auto& [line, phasors] : lines) {
    found.response.lines.push_back(line);
    found.phasors.push_back(std::move(phasors));
  }
  if (!lines.empty()) found.response.segments = periods;
  found.response.averages = static_cast<double>(found.response.segments);
  return found;
}

}  // namespace hyb
