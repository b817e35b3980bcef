#pragma once
#include "core/transfer/actuator.h"

namespace hyb {

/// Shaker with a current amplifier, without a controller: its command is a voltage, and the force follows it without
/// delay. Its mass is on a suspension that may stiffen on both sides of a point beside its rest position, with reaction
/// of the specimen:
///   m x'' = Kv gain u - k x - k3 ((x + x0)^3 - x0^3) - c x' - (force of the specimen)
/// u: the delayed command in V, held over the tick. Exact in time except for the cubic force, which is the mean over
/// the straight path of the tick without it.
/// Source: A. Vizzaccaro et al., Iterative method for real-time hybrid testing: application to a cantilever beam with
/// two interface degrees of freedom.
struct ShakerParams {
  double moving_mass_kg = 0.1;        // m, >= 0: in addition to the specimen's own mass at the interface
  double stiffness_n_per_m = 8000.0;  // k
  double damping_n_s_per_m = 10.0;    // c
  double force_n_per_v = 5.0;         // Kv
  double cubic_n_per_m3 = 0.0;        // k3
  double offset_m = 0.0;              // x0
};
ActuatorModelPtr shaker(const ShakerParams& params = {});
ActuatorSpec parseShaker(const Json& settings);

}  // namespace hyb
