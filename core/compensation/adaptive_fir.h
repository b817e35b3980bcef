#pragma once
#include "core/compensation/inverse_feedforward.h"

namespace hyb {

/// Adaptive inverse as a filter of finite length, learnt by recursive least squares (Widrow and Walach 1996; Haykin
/// 2002, chapter 9). With low-pass filtered u and x the weights w minimise
///   sum over the past ticks of exp(-age / memory) (u - w X)^2,  X = the newest x and those 1, 2, ... spacings before,
/// and the command is w applied to the newest target and those before it with the same spacing. The sums are stored
/// instead of their inverse, so that nothing grows during a long rest.
struct AdaptiveFirParams {
  std::size_t weights = 4;
  double spacing_s = 0.005;  // rounded to ticks, one at least
  double lead_s = 0.02;      // of the initial weights: linear extrapolation of the newest target and the next
  double memory_s = 2.0;
  double largest = 50.0;        // of each weight, either sign
  double adaption = 1.0;        // share of the missing part learnt per tick; 0: holds the weights
  double cutoff_hz = 20.0;      // of both low-passes
  double dead_band_m = 2.5e-4;  // no adaption while the rms of the remembered motion about its mean is below
  /// Adds every fault, with places relative to the method's settings.
  void check(double step_s, Checks& checks) const;
  InverseFeedforwardParams start(double step_s) const;
};

/// Tunables: adaption, memory (s), dead_band (m). Adapted: `weight<n>_<i>`. Throws InputError with every fault.
std::unique_ptr<Compensator> makeAdaptiveFir(const AdaptiveFirParams& params, double step_s, const Axes& axes = {});

/// Member of the family "compensation".
CompensationMethodPtr parseAdaptiveFir(const Json& settings, const MethodContext& context, Checks& checks);

}  // namespace hyb
