#pragma once
#include <memory>

#include "core/compensation/method.h"

namespace hyb {

/// Fixed forward prediction u = k_a * p(t + P dt), u' = k_a * p'(t + P dt), p the polynomial through the last n
/// targets. Wallace 2005, section 3a-3d. The n targets are n_t ticks apart (C. Insam, dissertation, TUM 2022, section
/// 3.3.1: t, t - tau, t - 2 tau, ...). The first target replaces those before it.
struct ForwardPredictionParams {
  int points = 8;                    // n
  int order = 2;                     // N
  int spacing_ticks = 1;             // n_t, >= 1
  Eigen::VectorXd prediction_ticks;  // P per interface DOF, ticks, 0..max
  Eigen::VectorXd gain;              // k_a per interface DOF, > 0
  double max_prediction_ticks = 15.0;
  /// Adds every fault, with places relative to the method's settings.
  void check(Checks& checks) const;
};
/// Tunables: `prediction_ticks_<i>` (P) and `gain_<i>` (k_a) per interface.
/// Throws InputError with every fault.
std::unique_ptr<Compensator> makeForwardPrediction(const ForwardPredictionParams& params, double step_s,
                                                   const Axes& axes = {});

/// Member of the family "compensation".
CompensationMethodPtr parseForwardPrediction(const Json& settings, const MethodContext& context, Checks& checks);

}  // namespace hyb
