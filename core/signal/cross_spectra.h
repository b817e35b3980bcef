#pragma once
#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "core/signal/dft.h"
#include "core/signal/window.h"

namespace hyb {

/// Split of records into segments.
struct SegmentSpec {
  using Window = SpectralWindow;
  double rate_hz = 1000.0;
  std::size_t length = 1024;  // rows, at least 4
  std::size_t hop = 512;      // rows between the starts of two segments, 1 to length
  Window window = Window::hann;
  Detrend detrend = Detrend::mean;
};

/// Frequency response at one frequency, of output over input.
struct ResponseLine {
  double frequency_hz = 0.0;
  std::complex<double> h1, h2;   // noise in the output, in the input; with noise in both the truth is between them
  double coherence = 0.0;        // share of the output power that is correlated with the input, 0 to 1
  double random_error = 0.0;     // standard deviation of |h1| relative to it, and of its phase in rad
  double magnitude_error = 0.0;  // the true magnitude is within |h1| +- this with 95 %; infinite: unknown
  double radius = 0.0;       // about h1 in the complex plane: contains the true response with 95 %; infinite: unknown
  double input_power = 0.0;  // mean square of the input at this line
};
struct MeasuredResponse {
  std::vector<ResponseLine> lines;  // ascending
  double bin_hz = 0.0;
  std::size_t segments = 0;
  double averages = 0.0;  // equivalent number of segments without overlap
  /// Adjacent lines are correlated: lines / 1.5 of them count for a Hann window.
  double lines_for_one = 1.0;
  /// The lines from from_hz to to_hz with input power.
  MeasuredResponse within(double from_hz, double to_hz) const;
};

/// Spectra of an input and an output, averaged over segments (Welch 1967), from rows in their order. Not real-time: for
/// readers of the ring of a running test, or of a run. Between segments add() takes constant time per row and does not
/// allocate.
/// Coherence, random error and confidence: J. Bendat, A. Piersol, Random Data, 4th ed. (2010), sections 6.1 and 9.2;
/// the number of averages with overlap: P. Welch, IEEE Trans. Audio Electroacoust. 15 (1967). With n_d averages the
/// residual of the output has 2 n_d - 2 degrees of freedom, so the 95 % interval of a magnitude takes Student's t of
/// that many instead of the normal distribution, and the radius takes F of 2 and that many.
class CrossSpectra {
 public:
  explicit CrossSpectra(const SegmentSpec& spec);
  void add(double input, double output);
  void add(std::span<const double> input, std::span<const double> output);
  /// Drops the rows of the started segment: the next row does not follow on them.
  void interrupt() noexcept { filled_ = 0; }
  void reset();
  std::size_t segments() const noexcept { return segments_; }
  /// Segments with a value that is not a number in one of the channels; they are in no sum.
  std::size_t leftOut() const noexcept { return left_out_; }
  const SegmentSpec& spec() const noexcept { return spec_; }
  /// From the first line above 0 Hz to half the rate; empty before the first complete segment. With only one segment
  /// the errors are unknown.
  MeasuredResponse response() const;
  /// One-sided cross-spectral density of conj(input) output [length / 2 + 1] from 0 Hz, in the product of both units
  /// per Hz: its phase is that of the output ahead of the input. Empty before the first complete segment.
  std::vector<std::complex<double>> crossDensity() const;
  const SegmentWindow& window() const noexcept { return window_; }

 private:
  void takeSegment();

  SegmentSpec spec_;
  Dft dft_;
  SegmentWindow window_;
  std::vector<double> input_, output_;  // [length] of the present segment
  std::vector<double> windowed_input_, windowed_output_;
  std::size_t filled_ = 0, segments_ = 0, left_out_ = 0;
  std::vector<double> input_power_, output_power_;  // [bins], sums
  std::vector<std::complex<double>> cross_;         // conj(input) output
};

/// Segment length for a record of so many rows: about 15 half-overlapping segments, with a fast transform.
std::size_t segmentFor(std::size_t rows);

}  // namespace hyb
