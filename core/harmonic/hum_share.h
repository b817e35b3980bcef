#pragma once
#include "core/coupling/period_averages.h"

namespace hyb {

/// Largest share of a sinusoidal disturbance of hum_hz, of any phase, that an average of the signal over whole periods
/// of frequency_hz leaves in the amplitude of a harmonic (HarmonicAverage): exact for its sum over ticks, also where
/// the window is no whole number of ticks. For a fast rate and the first harmonic, with r = hum_hz/frequency_hz above 1
/// and n periods, it is with the rectangle (2/(n pi)) r/(r^2 - 1), and with the Hann window (1/(n pi)) [1/((r-1)(n^2
/// (r-1)^2 - 1)) + 1/((r+1)(n^2 (r+1)^2 - 1))]. Within the main lobe of the window nothing is rejected. Source of the
/// rectangle: A. Vizzaccaro et al., Iterative method for real-time hybrid testing, eq. 26.
double humShare(double hum_hz, double frequency_hz, int harmonic, int periods, bool hann, double rate_hz);

/// The largest of them over the harmonics and frequencies of a test.
struct HumShare {
  double share = 0.0;
  double frequency_hz = 0.0;
  int harmonic = 1;
};
HumShare largestHumShare(const PeriodAverages& averages, double rate_hz);

}  // namespace hyb
