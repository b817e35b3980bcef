#pragma once
#include "core/compensation/method.h"

namespace hyb {

/// A proportional-integral controller around the actuator after a phase lead, the sample controller of the benchmark of
/// Silva et al. 2020 (section 5):
///   U = (K_p + K_i / s) (L Z - X),  L = (1 + lead_s s) / (1 + lag_s s),
/// by the bilinear rule at the tick. The velocity feed-forward is the target's rate.
struct PhaseLeadPiParams {
  double proportional = 2.0;           // K_p
  double integral_per_s = 95.0;        // K_i
  double lead_s = 50.8316 / 8570.397;  // time constant of the numerator
  double lag_s = 1.0 / 8570.397;       // time constant of the denominator, above 0
  /// Adds every fault, with places relative to the method's settings.
  void check(Checks& checks) const;
};

/// It starts and restarts with the target as its command. A motion that is NaN is replaced by the last one. Tunables:
/// proportional, integral. Throws InputError with every fault.
std::unique_ptr<Compensator> makePhaseLeadPi(const PhaseLeadPiParams& params, double step_s, const Axes& axes = {});

/// Member of the family "compensation".
CompensationMethodPtr parsePhaseLeadPi(const Json& settings, const MethodContext& context, Checks& checks);

}  // namespace hyb
