#pragma once
#include "core/force_stage/force_stage.h"

namespace hyb {

struct PassivityParams {
  int interface = 0;                      // from 1; 0: each of them, on its own
  double gain_kg_per_s = 1600.0;          // G_P
  double error_time_s = 0.1;              // of the low-pass of the power error
  double throughput_time_s = 0.1;         // of the low-pass of the throughput
  double damping_limit_kg_per_s = 400.0;  // the most damping injected
  double throughput_floor_w = 1e-6;       // below it the throughput counts as this much
  bool magnitude_first = true;            // the throughput's magnitude is taken before its low-pass, else after it
};

/// Normalised passivity control (Insam 2022, equations 5.3 to 5.5). While the transfer system feeds power in,
/// low-passed, the NS is damped:
///   f_NS = f - alpha z',  alpha = G_P lowpass(P_error) / |lowpass(P_total)|, at most damping_limit_kg_per_s.
/// With F = -f, the force of the NS on the PS, x' the measured and z' the target's rate:
///   P_error = F x' - (F + alpha z') z',  P_total = F x' + (F + alpha z') z'.
/// The gate looks at the low-passed power error of the tick before, and the total holds the damping force of the tick
/// before, as it would otherwise contain what is being computed. Clamp and floor are not in the source, where alpha has
/// no bound while the throughput changes its sign.
std::unique_ptr<ForceStage> makePassivity(const PassivityParams& params, std::size_t interfaces, double step_s);
ForceStageSpecPtr parsePassivity(const Json& settings);

}  // namespace hyb
