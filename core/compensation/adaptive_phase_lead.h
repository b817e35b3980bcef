#pragma once
#include "core/compensation/method.h"

namespace hyb {

/// Adaptive inverse compensation, a phase lead that follows the tracking error. Chen and Ricles 2010; the tracking
/// indicator is that of Mercan 2007. The source's alpha, in ticks, is 1 + lead / tick:
///   u_k = z_k + lead (z_k - z_(k-1)) / tick,  lead = lead_s + proportional TI + integral (sum of TI tick),
///   TI_k = TI_(k-1) + (z_(k-1) x_k - z_k x_(k-1)) / 2,
/// the area enclosed by x over z in a cycle, above 0 if x lags. TI does not grow against a bound of the lead, and the
/// integral is held while the target is constant.
struct AdaptivePhaseLeadParams {
  double lead_s = 0.02;
  double proportional_s_per_m2 = 2000.0;
  double integral_per_m2 = 200.0;
  double shortest_s = 0.0, longest_s = 0.1;  // bounds of the lead
  double adaption = 1.0;                     // multiplies the growth of TI; 0: holds the lead
  /// Adds every fault, with places relative to the method's settings.
  void check(Checks& checks) const;
};

/// Tunables: adaption, proportional, integral; the lead continues from its present value. Adapted: `lead_<i>` (s).
/// Throws InputError with every fault.
std::unique_ptr<Compensator> makeAdaptivePhaseLead(const AdaptivePhaseLeadParams& params, double step_s,
                                                   const Axes& axes = {});

/// Member of the family "compensation".
CompensationMethodPtr parseAdaptivePhaseLead(const Json& settings, const MethodContext& context, Checks& checks);

}  // namespace hyb
