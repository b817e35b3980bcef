#pragma once
#include "core/transfer/actuator.h"

namespace hyb {

/// Servo-hydraulic actuator in displacement control, with control-structure interaction:
///   q'' + b1 q' + b2 q = a1b0 (gain u - x)   valve and controller, q in N/s
///   f' + a3 f = q - a2 x'                    oil column, f in N; a2 x': natural velocity feedback
///   m x'' + cp x' + kp x = f - (force of the specimen)   piston
/// u: the delayed command, held over the tick. The forces of cp and kp are not in the reading of the load cell. Exact
/// in time. Sources: C. E. Silva et al., Benchmark control problem for real-time hybrid simulation, MSSP 135 (2020);
/// with cp and kp: D. I. Araya, thesis (UTFSM 2023), section 4.3 and table 4.5.
struct HydraulicParams {
  double a1b0 = 2.1283e13;                // N/(m s^3), > 0
  double a2 = 4.2297e6;                   // N/m
  double a3 = 3.3;                        // 1/s
  double b1 = 425.0;                      // 1/s
  double b2 = 9.9976e4;                   // 1/s^2
  double piston_mass_kg = 0.0;            // m, in addition to the specimen's own mass at the interface
  double piston_damping_n_s_per_m = 0.0;  // cp
  double piston_stiffness_n_per_m = 0.0;  // kp
};
ActuatorModelPtr servoHydraulic(const HydraulicParams& params = {});
ActuatorSpec parseServoHydraulic(const Json& settings);

}  // namespace hyb
