#pragma once
#include <complex>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/signal/dft.h"

namespace hyb {

/// Single-sided amplitude spectrum A_k = (2 / n) |X_k|, rectangular window, with the mean. Insam 2022, 12.1 (note
/// D10.3): a sine of whole periods yields its amplitude, a constant twice its value. The figures of a decaying record
/// depend on its length: compare equal lengths only.
struct AmplitudeSpectrum {
  double bin_hz = 0.0;
  std::vector<double> amplitude;  // [n/2 + 1], unit of the samples; empty for unreadable samples
  double frequency_hz(std::size_t bin) const { return bin_hz * static_cast<double>(bin); }
  /// First bin after the lobe at 0 Hz, where the amplitude first rises again.
  std::size_t lobeEnd() const;
};
AmplitudeSpectrum amplitudeSpectrum(std::span<const double> samples, double step_s);
/// From the bins of dft() of `samples` samples.
AmplitudeSpectrum amplitudeSpectrum(std::span<const std::complex<double>> bins, std::size_t samples, double step_s);

struct SpectralPeak {
  std::size_t bin = 0;
  double frequency_hz = 0.0, amplitude = 0.0;
};
/// Largest local maximum past the lobe at 0 Hz; on a bin, not between. None for a record at rest or below 4 samples.
std::optional<SpectralPeak> dominantPeak(const AmplitudeSpectrum& spectrum);
/// All local maxima past the lobe that reach `least_share` of the dominant one, ascending in frequency.
std::vector<SpectralPeak> peaks(const AmplitudeSpectrum& spectrum, double least_share);

/// Frequency of the sine that with a constant explains most of the record, Hz: starts at the dominant peak and is not
/// bound to bins, so that it is exact for a sine over any window of at least two periods. None as for dominantPeak.
std::optional<double> dominantFrequency_hz(std::span<const double> samples, double step_s);
/// Likewise, from the dominant peak of these samples.
double dominantFrequency_hz(std::span<const double> samples, double step_s, const SpectralPeak& peak);

}  // namespace hyb
