#include "core/signal/cross_spectra.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/base/numbers.h"
#include "core/base/student.h"
#include "core/linalg/fft.h"

namespace hyb {

using Complex = std::complex<double>;

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kOutside = 0.05;     // share of true responses that may lie outside the radius
constexpr double kNotExcited = 1e-9;  // of the largest input power: below it, rounding errors dominate
constexpr double kCoherenceRounding = 8.0 * std::numeric_limits<double>::epsilon();  // without noise
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
      window_(spec.window, spec.length),
      input_(spec.length),
      output_(spec.length),
      windowed_input_(spec.length),
      windowed_output_(spec.length) {
  assert(spec.length >= 4 && spec.hop >= 1 && spec.hop <= spec.length && spec.rate_hz > 0.0);
  reset();
}

void CrossSpectra::reset() {
  const std::size_t bins = spec_.length / 2 + 1;
  filled_ = segments_ = left_out_ = 0;
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
  const bool input = window_.apply(input_, spec_.detrend, windowed_input_),
             output = window_.apply(output_, spec_.detrend, windowed_output_);
  if (!input || !output) {  // a reading that is not a number invalidates only its segments
    ++left_out_;
    return;
  }
  const auto bins = dft_(windowed_input_, windowed_output_);
  for (std::size_t k = 0; k < cross_.size(); ++k) {
    input_power_[k] += std::norm(bins[0][k]);
    output_power_[k] += std::norm(bins[1][k]);
    cross_[k] += std::conj(bins[0][k]) * bins[1][k];
  }
  ++segments_;
}

std::vector<Complex> CrossSpectra::crossDensity() const {
  if (segments_ == 0) return {};
  std::vector<Complex> density;
  for (std::size_t k = 0; k < cross_.size(); ++k) {
    const double sides = k == 0 || 2 * k == spec_.length ? 1.0 : 2.0;
    density.push_back(sides / (spec_.rate_hz * window_.energy() * static_cast<double>(segments_)) * cross_[k]);
  }
  return density;
}

MeasuredResponse CrossSpectra::response() const {
  MeasuredResponse response;
  response.bin_hz = spec_.rate_hz / static_cast<double>(spec_.length);
  response.segments = segments_;
  if (segments_ == 0) return response;
  response.averages = window_.equivalentAverages(segments_, spec_.hop);
  response.lines_for_one = window_.noiseBandwidth_lines();
  const double scale = 2.0 / (window_.energy() * static_cast<double>(spec_.length) *
                              static_cast<double>(segments_));  // scales to a mean square
  const double degrees = 2.0 * response.averages - 2.0;
  const double student = degrees >= 1.0 ? studentQuantile(degrees, 1.0 - 0.5 * kOutside) : kInfinity;
  for (std::size_t k = 1; k < cross_.size(); ++k) {
    const double xx = input_power_[k], yy = output_power_[k], xy2 = std::norm(cross_[k]);
    if (!(xx > 0.0)) continue;
    ResponseLine line;
    line.frequency_hz = response.bin_hz * static_cast<double>(k);
    line.h1 = cross_[k] / xx;
    line.h2 = xy2 > 0.0 ? yy / std::conj(cross_[k]) : Complex(kInfinity);
    line.coherence = yy > 0.0 ? std::min(1.0, xy2 / (xx * yy)) : 0.0;
    line.input_power = xx * scale;
    const double noise = std::max(1.0 - line.coherence, kCoherenceRounding);
    line.random_error =
        line.coherence > 0.0 ? std::sqrt(noise / (2.0 * response.averages * line.coherence)) : kInfinity;
    // F of 2 and m degrees of freedom has the closed form m / 2 (outside^(-2/m) - 1).
    line.radius = degrees >= 1.0 ? std::sqrt((std::pow(kOutside, -2.0 / degrees) - 1.0) * noise * yy / xx) : kInfinity;
    line.magnitude_error = degrees >= 1.0 ? student * std::sqrt(noise / degrees * yy / xx) : kInfinity;
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
