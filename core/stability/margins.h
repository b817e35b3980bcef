#pragma once
#include <complex>
#include <vector>

#include "core/stability/delayed_loop.h"

namespace hyb {

// Classical margins of a test with one interface DOF: open loop F_o = D_P G e^{-s base} / D_N. Source: Insam 2022,
// section 2.2.1 (note D1.3).

/// A frequency with |F_o| = 1, and its phase distance from -180 degrees.
struct GainCrossover {
  double frequency_hz;
  double phase_margin_deg;   // 0..360
  double tolerated_delay_s;  // further delay that shifts the phase to -180 degrees
};

/// Phase margin as time at its frequency, s.
double toleratedDelay(double phase_margin_deg, double frequency_hz) noexcept;

// The functions below throw InputError with more than one interface DOF, and as delay_stability.h.

/// Below the cut-off, ascending in frequency. None: stable with any delay if stable without.
std::vector<GainCrossover> gainCrossovers(DelayedLoop& loop);
std::vector<GainCrossover> gainCrossovers(const DelaySystem& system, double cutoff_hz);

/// Complementary sensitivity T = F_o e^{-s tau} / (1 + F_o e^{-s tau}).
std::complex<double> complementarySensitivity(const DelaySystem& system, double delay_s, double frequency_hz);

struct Peak {
  double magnitude, frequency_hz;
};
/// Largest |T| below the cut-off.
Peak peakComplementarySensitivity(const DelaySystem& system, double delay_s, double cutoff_hz);

}  // namespace hyb
