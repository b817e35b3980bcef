#pragma once
#include <complex>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace hyb {

// Sensitivity of a test with one interface DOF to its actuator: ||T_o Delta||_inf with T_o = L / (1 + L),
// L = G_EXP G_NUM the ideal open loop, and Delta = G_ACT - 1 the actuator as multiplicative error. Insam 2022,
// eqs 10.12 to 10.14 (note D9.5), after Botelho and Christenson. A pre-test index: it needs models or measured
// responses of all three parts, and assumes a stable ideal test. Frequencies in Hz; s = i 2 pi f.

struct Susceptibility {
  double norm = 0.0;  // dimensionless
  double frequency_hz = 0.0;
  double norm_db() const;
  bool robustlyStable() const { return norm < 1.0; }    // 0 dB; sufficient, not necessary
  bool performsRobustly() const { return norm < 0.1; }  // -20 dB
};

/// |T_o Delta| at one frequency; T_o = 1 for an infinite loop gain (undamped resonance).
double distortion(std::complex<double> open_loop, std::complex<double> actuator);

/// Responses on a common grid of frequencies, e.g. measured ones: the largest value on the grid. None: sizes differ, no
/// frequency, or a value that is not a number.
std::optional<Susceptibility> susceptibility(std::span<const double> frequency_hz,
                                             std::span<const std::complex<double>> open_loop,
                                             std::span<const std::complex<double>> actuator);

using FrequencyResponse = std::function<std::complex<double>(double frequency_hz)>;
/// Models: `points` frequencies evenly spaced on a logarithmic scale, the largest refined between its neighbours. None:
/// not 0 < from_hz < to_hz, fewer than 3 points, or a value that is not a number.
std::optional<Susceptibility> susceptibility(const FrequencyResponse& open_loop, const FrequencyResponse& actuator,
                                             double from_hz, double to_hz, std::size_t points = 2000);

}  // namespace hyb
