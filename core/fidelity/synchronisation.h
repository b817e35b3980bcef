#pragma once
#include <span>

namespace hyb {

/// Reading of a subspace plot (target z to the right, measured x upwards). Wallace 2005, section 2.
struct Synchronisation {
  double amplitude_ratio = 0.0;  // |x| / |z|
  double delay_s = 0.0;          // positive: x lags
  double area = 0.0;             // enclosed area per period, m^2; positive = lag (anticlockwise)
  double axis_deg = 0.0;         // direction of the long axis of the ellipse
  double slope = 0.0;            // regression slope of x on z
  bool valid = false;            // false: too little motion or no clear frequency
};
/// Ellipse reading over a window of equally spaced samples. frequency_hz > 0: harmonic least squares at that frequency,
/// over at least half a period. 0: x is regressed on z and on its rate z' (central differences); with the effective
/// frequency w = rms(z') / rms(z) this yields ratio, delay and area exactly for a sine of any frequency and window, and
/// their energy-weighted means for sweeps and ground motions. step_s > 0; same sizes. Means are removed, so that a
/// sensor offset has no effect. Not valid if z is constant or less than half of x's motion follows z. Allocation-free.
Synchronisation synchronisation(std::span<const double> target, std::span<const double> measured, double step_s,
                                double frequency_hz);

}  // namespace hyb
