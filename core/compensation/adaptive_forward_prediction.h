#pragma once
#include <memory>

#include "core/compensation/forward_prediction.h"

namespace hyb {

/// Normalisation of the synchronisation error at a trigger by the amplitude (reference note, section 5).
enum class AdaptionLaw {
  remaining_delay,  // (V) e2 over |z'| dt at zero crossings: the remaining delay in ticks; e2 over |z| at extremes
  peak_normalised,  // (A) e2 over the peak of z in the half cycle before, close to the paper
};

/// Adaptive forward prediction. Wallace 2005, section 3e. Horizon P + rho and gain k_a + sigma, one pair per interface
/// DOF, adapted online: rho where z crosses zero (a lagging x increases it), sigma where z' does (a too small x
/// increases it). e2 = z - x is taken at the instant of the crossing, linearly interpolated between ticks; x must
/// belong to the same tick as z. Negative alpha or beta reverse the law; a project cannot have them.
struct AdaptiveForwardPredictionParams {
  ForwardPredictionParams prediction;
  AdaptionLaw law = AdaptionLaw::remaining_delay;
  double alpha = 0.2;  // share of the remaining delay removed per zero crossing; 0 = no adaption of rho
  double beta = 0.1;   // share of the amplitude error removed per extreme; 0 = none
  double gamma = 1.0;  // exponent of the normalised error, 1..3
  double horizon_min_ticks = 0.0, horizon_max_ticks = 15.0;  // bounds on P + rho
  double sigma_min = -0.5, sigma_max = 0.5;                  // bounds on sigma
  double clip = 10.0;         // largest normalised error (10 ticks for V, 1 for A); at most 1 at extremes
  double noise_rms_m = 0.0;   // s: rms noise of the measured displacement; weakens weak crossings
  double dead_band_m = 2e-5;  // no adaption while the half-cycle peak of z is below it (6 s, at least 0.02 mm)
  /// Adds every fault, with places relative to the method's settings.
  void check(Checks& checks) const;
};
/// Throws InputError with every fault. Tunables: alpha, beta, gamma, dead_band (m), then `prediction_ticks_<i>` (P) and
/// `gain_<i>` (k_a) per interface; tuning P and k_a keeps the adapted changes. Adapted: `prediction_<i>` (P + rho,
/// ticks), `gain_<i>` (k_a + sigma).
std::unique_ptr<Compensator> makeAdaptiveForwardPrediction(const AdaptiveForwardPredictionParams& params, double step_s,
                                                           const Axes& axes = {});

/// Member of the family "compensation".
CompensationMethodPtr parseAdaptiveForwardPrediction(const Json& settings, const MethodContext& context,
                                                     Checks& checks);

}  // namespace hyb
