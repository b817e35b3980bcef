#pragma once
#include "core/compensation/inverse_feedforward.h"

namespace hyb {

/// Adaptive time series compensator. Chae, Kazemibidokhti and Ricles 2013. With low-pass filtered u and x and X = [x,
/// x', x'', ...] the coefficients approach, at a limited rate, the least-squares solution of u = a X over the ticks of
/// a moving window.
struct AdaptiveTimeSeriesParams {
  InverseFeedforwardParams inverse;
  std::vector<double> fastest;  // largest change of each coefficient in 1 s
  double adaption = 1.0;        // multiplies `fastest`; 0: holds the coefficients
  double window_s = 1.0;
  double dead_band_m = 2.5e-4;  // no adaption while the rms of the motion in the window about its mean is below it
  /// Adds every fault, with places relative to the method's settings.
  void check(double step_s, Checks& checks) const;
};

/// Nothing is learnt until the window is full. In directions that the motion does not excite, as with a single sine,
/// the coefficients do not change. Tunables: adaption, dead_band (m). Adapted: `a<n>_<i>`. Throws InputError with every
/// fault.
std::unique_ptr<Compensator> makeAdaptiveTimeSeries(const AdaptiveTimeSeriesParams& params, double step_s,
                                                    const Axes& axes = {});

/// Member of the family "compensation".
CompensationMethodPtr parseAdaptiveTimeSeries(const Json& settings, const MethodContext& context, Checks& checks);

}  // namespace hyb
