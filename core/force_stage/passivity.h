#pragma once
#include "core/force_stage/force_stage.h"

namespace hyb {

struct PassivityParams {
  int interface = 0;                      // from 1; 0: each interface separately
  double gain_kg_per_s = 1600.0;          // G_P
  double error_time_s = 0.1;              // of the low-pass of the power error
  double throughput_time_s = 0.1;         // of the low-pass of the throughput
  double damping_limit_kg_per_s = 400.0;  // largest injected damping
  double throughput_floor_w = 1e-6;       // lower bound of the throughput
  bool magnitude_first = true;            // takes the magnitude of the throughput before its low-pass, otherwise after
};

/// Normalised passivity control (Insam 2022, equations 5.3 to 5.5). While the low-passed power fed in by the transfer
/// system is positive, the NS is damped:
///   f_NS = f - alpha z',  alpha = G_P lowpass(P_error) / |lowpass(P_total)|, at most damping_limit_kg_per_s.
/// With F = -f, the force of the NS on the PS, x' the measured and z' the target's rate:
///   P_error = F x' - (F + alpha z') z',  P_total = F x' + (F + alpha z') z'.
/// The gate uses the low-passed power error of the previous tick, and the total contains the damping force of the
/// previous tick; otherwise it would contain the value being computed. Clamp and floor are not in the source, where
/// alpha is unbounded while the throughput changes its sign.
std::unique_ptr<ForceStage> makePassivity(const PassivityParams& params, std::size_t interfaces, double step_s);
ForceStageSpecPtr parsePassivity(const Json& settings);

}  // namespace hyb
