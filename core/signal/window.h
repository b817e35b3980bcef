#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace hyb {

/// Weights of the samples of a segment before its transform.
enum class SpectralWindow : unsigned char {
  hann,      // any signal; suited to an overlap of half a segment
  none,      // rectangular; for a signal that repeats after each segment: no leakage
  hamming,   // lower first side lobes than hann
  flat_top,  // amplitudes of sines between two lines within 0.12 %
};

/// What is taken from a segment before it is weighted.
enum class Detrend : unsigned char { mean, none, line };

inline constexpr std::array<std::string_view, 4> kWindowWords{"hann", "rectangular", "hamming", "flat-top"};
inline constexpr std::array<std::string_view, 3> kDetrendWords{"mean", "none", "line"};

/// A window of one length, periodic: w_k = w_(k + length) as the transform wants it (F. J. Harris, Proc. IEEE 66 (1978)
/// 51; flat-top: coefficients of D'Antona and Ferrero, Digital Signal Processing for Measurement Systems, 2006).
class SegmentWindow {
 public:
  SegmentWindow(SpectralWindow window, std::size_t length);
  std::span<const double> weights() const noexcept { return weights_; }  // [length], largest value 1
  double sum() const noexcept { return sum_; }
  double energy() const noexcept { return energy_; }  // sum of the squares
  /// Equivalent noise bandwidth in lines: 1 rectangular, 1.5 hann.
  double noiseBandwidth_lines() const noexcept;
  /// Number of independent segments with the same variance as the mean of `segments` segments whose starts are `hop`
  /// samples apart. Source: P. Welch, IEEE Trans. Audio Electroacoust. 15 (1967).
  double equivalentAverages(std::size_t segments, std::size_t hop) const;
  /// to = weights * (from - trend), both [length]. False, if a sample is not a number; `to` then has no meaning.
  bool apply(std::span<const double> from, Detrend detrend, std::span<double> to) const;

 private:
  std::vector<double> weights_;
  double sum_ = 0.0, energy_ = 0.0;
};

}  // namespace hyb
