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
/// Ellipse reading over a window of equally spaced samples. frequency_hz > 0: harmonic fit at that frequency; 0:
/// frequency from the window itself. step_s > 0; same sizes. Allocation-free.
Synchronisation synchronisation(std::span<const double> target, std::span<const double> measured, double step_s,
                                double frequency_hz);

}  // namespace hyb
