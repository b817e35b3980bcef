#include "core/identification/cross_spectra.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/numbers.h"
#include "core/linalg/fft.h"

namespace hyb {

using Complex = std::complex<double>;

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kOutside = 0.05;     // share of true responses that may lie outside the radius
constexpr double kNotExcited = 1e-9;  // of the largest input power: below it, rounding errors dominate
constexpr double kCoherenceRounding = 8.0 * std::numeric_limits<double>::epsilon();  // without noise
constexpr double kHannLines = 1.5;        // equivalent noise bandwidth of a Hann window, in lines
constexpr std::size_t kHalvesWanted = 8;  // a record is split into this many segment lengths
}  // namespace

std::size_t segmentFor(std::size_t rows) {
  constexpr std::size_t kShortest = 16, kLongest = 65536;
  const std::size_t wanted = std::clamp(rows / kHalvesWanted, kShortest, kLongest);
  const std::size_t fast = 2 * linalg::fastLength(wanted / 2);
  return std::min(fast, std::max<std::size_t>(rows, 4));
}

CrossSpectra::CrossSpectra(const SegmentSpec& spec)
    : spec_(spec),
      dft_(spec.length),
      window_(spec.length, 1.0),
      input_(spec.length),
      output_(spec.length),
      windowed_input_(spec.length),
      windowed_output_(spec.length) {
  assert(spec.length >= 4 && spec.hop >= 1 && spec.hop <= spec.length && spec.rate_hz > 0.0);
  if (spec.window == SegmentSpec::Window::hann)
    for (std::size_t k = 0; k < spec.length; ++k)
      window_[k] = 0.5 * (1.0 - std::cos(kTwoPi * static_cast<double>(k) / static_cast<double>(spec.length)));
  reset();
}

void CrossSpectra::reset() {
  const std::size_t bins = spec_.length / 2 + 1;
  filled_ = segments_ = 0;
  input_power_.assign(bins, 0.0);
  output_power_.assign(bins, 0.0);
  cross_.assign(bins, Complex());
}

void CrossSpectra::add(double input, double output) {
  input_[filled_] = input;
  output_[filled_] = output;
  if (++filled_ < spec_.length) return;
  takeSegment();
  const auto hop = static_cast<std::ptrdiff_t>(spec_.hop);
  std::copy(input_.begin() + hop, input_.end(), input_.begin());
  std::copy(output_.begin() + hop, output_.end(), output_.begin());
  filled_ = spec_.length - spec_.hop;
}

void CrossSpectra::add(std::span<const double> input, std::span<const double> output) {
  assert(input.size() == output.size());
  for (std::size_t k = 0; k < input.size(); ++k) add(input[k], output[k]);
}

void CrossSpectra::takeSegment() {
  const auto prepare = [&](const std::vector<double>& from, std::vector<double>& to) {
    const double mean = std::accumulate(from.begin(), from.end(), 0.0) / static_cast<double>(from.size());
    for (std::size_t k = 0; k < from.size(); ++k) to[k] = window_[k] * (from[k] - mean);
    return std::isfinite(mean);
  };
  const bool input = prepare(input_, windowed_input_), output = prepare(output_, windowed_output_);
  if (!input || !output) return;  // a reading that is not a number invalidates only its segments
  const auto bins = dft_(windowed_input_, windowed_output_);
  for (std::size_t k = 0; k < cross_.size(); ++k) {
    input_power_[k] += std::norm(bins[0][k]);
    output_power_[k] += std::norm(bins[1][k]);
    cross_[k] += std::conj(bins[0][k]) * bins[1][k];
  }
  ++segments_;
}

double CrossSpectra::averages() const {
  const auto count = static_cast<double>(segments_);
  double energy = 0.0;
  for (const double w : window_) energy += w * w;
  double variance = 1.0;
  for (std::size_t j = 1; j * spec_.hop < spec_.length && j < segments_; ++j) {
    double shared = 0.0;
    for (std::size_t k = j * spec_.hop; k < spec_.length; ++k) shared += window_[k] * window_[k - j * spec_.hop];
    variance += 2.0 * (1.0 - static_cast<double>(j) / count) * (shared / energy) * (shared / energy);
  }
  return count / variance;
}

MeasuredResponse CrossSpectra::response() const {
  MeasuredResponse response;
  response.bin_hz = spec_.rate_hz / static_cast<double>(spec_.length);
  response.segments = segments_;
  if (segments_ == 0) return response;
  response.averages = averages();
  response.lines_for_one = spec_.window == SegmentSpec::Window::hann ? kHannLines : 1.0;
  double energy = 0.0;
  for (const double w : window_) energy += w * w;
  const double scale =
      2.0 / (energy * static_cast<double>(spec_.length) * static_cast<double>(segments_));  // scales to a mean square
  for (std::size_t k = 1; k < cross_.size(); ++k) {
    const double xx = input_power_[k], yy = output_power_[k], xy2 = std::norm(cross_[k]);
    if (!(xx > 0.0)) continue;
    ResponseLine line;
    line.frequency_hz = response.bin_hz * static_cast<double>(k);
    line.h1 = cross_[k] / xx;
    line.h2 = xy2 > 0.0 ? yy / std::conj(cross_[k]) : Complex(kInfinity);
    line.coherence = yy > 0.0 ? std::min(1.0, xy2 / (xx * yy)) : 0.0;
    line.input_power = xx * scale;
    const double noise = std::max(1.0 - line.coherence, kCoherenceRounding), degrees = 2.0 * response.averages - 2.0;
    line.random_error =
        line.coherence > 0.0 ? std::sqrt(noise / (2.0 * response.averages * line.coherence)) : kInfinity;
    // F of 2 and m degrees of freedom has the closed form m / 2 (outside^(-2/m) - 1).
    line.radius = degrees >= 1.0 ? std::sqrt((std::pow(kOutside, -2.0 / degrees) - 1.0) * noise * yy / xx) : kInfinity;
    response.lines.push_back(line);
  }
  return response;
}

MeasuredResponse MeasuredResponse::within(double from_hz, double to_hz) const {
  MeasuredResponse part = *this;
  part.lines.clear();
  const double slack = 1e-6 * bin_hz;
  double largest = 0.0;
  for (const ResponseLine& line : lines) largest = std::max(largest, line.input_power);
  for (const ResponseLine& line : lines)
    if (line.frequency_hz >= from_hz - slack && line.frequency_hz <= to_hz + slack &&
        line.input_power > kNotExcited * largest)
      part.lines.push_back(line);
  return part;
}

}  // namespace hyb
