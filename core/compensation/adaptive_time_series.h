#pragma once
#include "core/compensation/inverse_feedforward.h"

namespace hyb {

/// Adaptive time series compensator. Chae, Kazemibidokhti and Ricles 2013. With u and x behind the low-pass and
/// X = [x, x', x'', ...] the coefficients go, no faster than they may, to those of least squares of u = a X over the
/// ticks of a moving window.
struct AdaptiveTimeSeriesParams {
  InverseFeedforwardParams inverse;
  std::vector<double> fastest;  // change of each coefficient in 1 s, at most
  double adaption = 1.0;        // multiplies `fastest`; 0: holds the coefficients
  double window_s = 1.0;
  double dead_band_m = 2.5e-4;  // no adaption while the motion's rms in the window, about its mean, is below
  /// Adds every fault, with places relative to the method's settings.
  void check(double step_s, Checks& checks) const;
};

/// Nothing is learnt until the window is full. In directions that the motion does not tell apart, a single sine leaves
/// some, the coefficients stay where they are. Tunables: adaption, dead_band (m). Adapted: a<n>_<i>. Throws InputError
/// with every fault.
std::unique_ptr<Compensator> makeAdaptiveTimeSeries(const AdaptiveTimeSeriesParams& params, double step_s,
                                                    const Axes& axes = {});

/// Member of the family "compensation".
CompensationMethodPtr parseAdaptiveTimeSeries(const Json& settings, const MethodContext& context, Checks& checks);

}  // namespace hyb
