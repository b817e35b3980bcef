#pragma once
#include "core/transfer/actuator.h"

namespace hyb {

/// Servo-hydraulic actuator in displacement control, with control-structure interaction:
///   q'' + b1 q' + b2 q = a1b0 (gain u - x)   valve and controller, q in N/s
///   f' + a3 f = q - a2 x'                    oil column, f in N; a2 x': natural velocity feedback
///   m x'' = f - (force of the specimen)      piston
/// u: the delayed command, held over the tick. Exact in time.
/// Source: C. E. Silva et al., Benchmark control problem for real-time hybrid simulation, MSSP 135 (2020).
struct HydraulicParams {
  double a1b0 = 2.1283e13;      // N/(m s^3), > 0
  double a2 = 4.2297e6;         // N/m
  double a3 = 3.3;              // 1/s
  double b1 = 425.0;            // 1/s
  double b2 = 9.9976e4;         // 1/s^2
  double piston_mass_kg = 0.0;  // in addition to the specimen's own mass at the interface
};
ActuatorModelPtr servoHydraulic(const HydraulicParams& params = {});
ActuatorSpec parseServoHydraulic(const Json& settings);

}  // namespace hyb
