#pragma once
#include <complex>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/fidelity/spectrum.h"

namespace hyb {

/// Frequency evaluation index of achieved Z' against command Z, weighted with |Z|^2. Insam 2022, eqs 10.5 to 10.9 (note
/// D9.2): FEI = sum (Z'/Z) |Z|^2 / sum |Z|^2, f_eq = sum f |Z|^2 / sum |Z|^2, tau = -arg(FEI) / (2 pi f_eq).
struct FrequencyIndex {
  std::complex<double> value;  // 1 = perfect
  double amplitude = 0.0;      // A_FEI = |value|
  double phase_deg = 0.0;      // negative: achieved lags
  double frequency_hz = 0.0;   // equivalent frequency
  double delay_s = 0.0;        // positive: achieved lags; NaN for f_eq = 0
};
/// Over all bins from 0 Hz up to `highest_hz` or Nyquist, as first published. Only for comparison with publications: an
/// offset or a slow transient shifts f_eq towards 0, and the jump from the last sample to the first, whose spectrum
/// decreases slowly, makes both figures depend on the upper end. None: lengths differ, fewer than 8 samples, a sample
/// is not a number, or the command is zero.
std::optional<FrequencyIndex> frequencyIndex(std::span<const double> command, std::span<const double> achieved,
                                             double step_s,
                                             double highest_hz = std::numeric_limits<double>::infinity());

/// From the bins of dft() of `samples` samples each.
std::optional<FrequencyIndex> frequencyIndex(std::span<const std::complex<double>> command,
                                             std::span<const std::complex<double>> achieved, std::size_t samples,
                                             double step_s,
                                             double highest_hz = std::numeric_limits<double>::infinity());

/// Bins of the adapted index: those within `half_width_hz` of a peak of |Z| with at least `least_share` of the dominant
/// one, never the lobe at 0 Hz. Insam 2022, section 11.3.1; the share is not given there.
struct FrequencyBands {
  double half_width_hz = 3.0;
  double least_share = 0.5;
};
/// Over the bands only; the default for oscillations about a rest position. None also if |Z| has no peak.
std::optional<FrequencyIndex> adaptedFrequencyIndex(std::span<const double> command, std::span<const double> achieved,
                                                    double step_s, const FrequencyBands& bands = {});

/// From the bins of dft(), and the amplitudes of the command that follow from them.
std::optional<FrequencyIndex> adaptedFrequencyIndex(std::span<const std::complex<double>> command,
                                                    std::span<const std::complex<double>> achieved, std::size_t samples,
                                                    double step_s, const AmplitudeSpectrum& amplitudes,
                                                    const FrequencyBands& bands = {});

struct TimedFrequencyIndex {
  double time_s;  // middle of the window, 0 = first sample
  std::optional<FrequencyIndex> index;
};
/// The adapted index of windows of `window` samples with a distance of `hop` samples; only complete windows. Empty for
/// a record shorter than one, or window or hop 0.
std::vector<TimedFrequencyIndex> windowedFrequencyIndex(std::span<const double> command,
                                                        std::span<const double> achieved, double step_s,
                                                        std::size_t window, std::size_t hop,
                                                        const FrequencyBands& bands = {});

}  // namespace hyb
