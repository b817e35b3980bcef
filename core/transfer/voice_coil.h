#pragma once
#include <complex>
#include <limits>

#include "core/transfer/actuator.h"

namespace hyb {

/// Voice coil, as in small shakers: moving mass on a suspension that may stiffen on both sides of a point beside its
/// rest position, coil, amplifier, and a position controller that converts the position error to a voltage. With
/// reaction of the specimen:
///   m x'' = Kf i - k x - k3 ((x + x0)^3 - x0^3) - c x' - (force of the specimen)
///   L i' = V - R i - Kf x'    voltage amplifier; a current amplifier holds the current against Kf x'
///   V = Kp e + integral of Ki e - Kd x',  e = gain u - x,  |V| <= limit
/// The controller works 20 times in a tick or more; the integral does not change at the limit. Between its instants
/// exact in time except for the cubic force (specimen_forces.h).
/// Source of the coil: A. Vizzaccaro et al., Iterative method for real-time hybrid testing: application to a cantilever
/// beam with two interface degrees of freedom. The controller is not from a source.
struct VoiceCoilParams {
  double moving_mass_kg = 0.1;            // m, > 0
  double stiffness_n_per_m = 8000.0;      // k
  double cubic_n_per_m3 = 0.0;            // k3
  double offset_m = 0.0;                  // x0
  double damping_n_s_per_m = 10.0;        // c
  double force_constant_n_per_a = 10.0;   // Kf
  double resistance_ohm = 2.0;            // R
  double inductance_h = 2e-4;             // L; L/R is also the lag of a current amplifier
  bool current_amplifier = false;         // it supplies the current V/R
  double position_gain_v_per_m = 6000.0;  // Kp
  double integral_gain_v_per_m_s = 6e5;   // Ki
  double velocity_gain_v_s_per_m = 6.0;   // Kd
  double voltage_limit_v = std::numeric_limits<double>::infinity();
};
ActuatorModelPtr voiceCoil(const VoiceCoilParams& params = {});
ActuatorSpec parseVoiceCoil(const Json& settings);

}  // namespace hyb
