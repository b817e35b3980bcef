#pragma once
#include <cstdint>

#include "core/force_stage/force_stage.h"

namespace hyb {

/// Quantity that shows whether the transfer system feeds energy in.
enum class PassivityObserver : std::uint8_t { power, energy };
/// Power error, of the previous tick, whose sign switches the damping.
enum class PassivityGate : std::uint8_t { raw, filtered };

struct PassivityParams {
  int interface = 0;              // from 1; 0: each interface separately
  double gain_kg_per_s = 1600.0;  // G_P
  PassivityObserver observer = PassivityObserver::power;
  PassivityGate gate = PassivityGate::raw;  // of the observer power
  double error_time_s = 0.1;                // of the low-pass of the power error
  double throughput_time_s = 0.1;           // of the low-pass of the throughput
  bool damping_in_throughput = true;        // the throughput contains the damping force
  bool magnitude_first = true;            // takes the magnitude of the throughput before its low-pass, otherwise after
  double damping_limit_kg_per_s = 400.0;  // largest injected damping
  double throughput_floor_w = 1e-6;       // lower bound of the throughput
};

/// Normalised passivity control (Insam 2022, equations 5.3 to 5.5). While the transfer system feeds energy in, the NS
/// is damped:
///   f_NS = f - alpha z',  alpha = G_P lowpass(P_error) / |lowpass(P_total)|, from 0 to damping_limit_kg_per_s.
/// With F = -f, the force of the NS on the PS, x' the measured and z' the target's rate:
///   P_error = F x' - (F + alpha z') z',  P_total = F x' + (F + alpha z') z'.
/// P_error is that of the previous tick, and so is the damping force in P_total; otherwise it would contain the value
/// being computed. The source leaves open whether P_error is low-passed at the gate, and whether the magnitude is taken
/// before the low-pass; the defaults are those of the note, D5.2. Without the damping force the throughput is that of
/// the measured force alone. The observer energy (named in the source's section 5.3 and in its outlook, not elaborated)
/// damps while the energy fed in since the start is above 0; the energy over error_time_s, the power error whose
/// low-pass never forgets, takes the place of lowpass(P_error). Clamp and floor are not in the source, where alpha is
/// unbounded while the throughput changes its sign.
std::unique_ptr<ForceStage> makePassivity(const PassivityParams& params, std::size_t interfaces, double step_s);
ForceStageSpecPtr parsePassivity(const Json& settings);

}  // namespace hyb
