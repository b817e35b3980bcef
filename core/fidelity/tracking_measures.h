#pragma once
#include <span>

namespace hyb {

/// 100 * rms(b - a) / rms(a): J2. NaN if a is zero throughout.
double nrmsePercent(std::span<const double> a, std::span<const double> b) noexcept;
/// 100 * max|b - a| / max|a|: J3. NaN if a is zero throughout.
double peakPercent(std::span<const double> a, std::span<const double> b) noexcept;
/// Delay of b against a by the maximum of the cross-correlation (each lag normalised with its own samples), with
/// sub-sample interpolation; s, positive: b lags. J1 (Silva et al. 2020 round to whole samples). Searches +-max_lag_s;
/// for a periodic signal keep it below half a period. NaN if one is constant or the window is shorter than four times
/// the search range.
double delayByCorrelation(std::span<const double> a, std::span<const double> b, double step_s, double max_lag_s);
struct HarmonicReading {
  double amplitude_ratio, phase_deg;
};
/// Amplitude and phase of b against a at one frequency by least squares; phase negative: b lags. NaN without such a
/// motion in a.
HarmonicReading harmonicReading(std::span<const double> a, std::span<const double> b, double step_s,
                                double frequency_hz);

}  // namespace hyb
