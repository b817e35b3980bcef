#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <vector>

namespace hyb {

enum class ActuatorModel : std::uint8_t {
  servo,            // command held over the tick, delayed, then second-order servo; exact in time
  pure_delay,       // x(t) = u(t - delay), linear between commands (no hold); delay >= 1 tick
  ideal,            // command reached within the tick on a straight ramp: x_{k+1} = u_k; no delay
  servo_hydraulic,  // valve, oil column and piston push the specimen, which pushes back; exact in time
  leg,              // electric leg with its sampled cascaded controller, its current held over the tick; exact in time
  first_order,      // command held over the tick, delayed, then tau x' + x = gain u; exact in time
};

/// Servo-hydraulic actuator in displacement control, with control-structure interaction:
///   q'' + b1 q' + b2 q = a1b0 (gain u - x)   valve and controller, q in N/s
///   f' + a3 f = q - a2 x'                    oil column, f in N; a2 x': natural velocity feedback
///   m x'' = f - (force of the specimen)      piston
/// Source: C. E. Silva et al., Benchmark control problem for real-time hybrid simulation, MSSP 135 (2020).
struct HydraulicParams {
  double a1b0 = 2.1283e13;      // N/(m s^3), > 0
  double a2 = 4.2297e6;         // N/m
  double a3 = 3.3;              // 1/s
  double b1 = 425.0;            // 1/s
  double b2 = 9.9976e4;         // 1/s^2
  double piston_mass_kg = 0.0;  // beside the specimen's own mass at the interface
};

/// Leg of a Stewart platform, motor current i to length x: x'' = gain i - pole x'. Its controller wants the velocity
/// Kp (u - x), with velocity_feedforward plus u', and turns what is missing of it into current by a PI law. Defaults:
/// leg 2 with the gains of the source's linear studies (kLegPlants has all six).
/// Source: C. Insam, dissertation (TUM 2022), section 4.2, tables 4.1 and A.1.
struct LegParams {
  double plant_gain_m_per_a_s2 = 1053.1;
  double plant_pole_per_s = 55.5;
  double position_gain_per_s = 90.0;
  double velocity_gain_a_s_per_m = 0.2;
  double integral_gain_a_per_m = 5.0;
  bool velocity_feedforward = false;  // u' is the difference of the last two commands
};

struct ActuatorParams {
  ActuatorModel model = ActuatorModel::servo;
  double natural_frequency_hz = 28.0;
  double damping_ratio = 0.7;
  double gain = 1.0;                                          // static gain from command to displacement
  double delay_s = 0.0005;                                    // pure delay ahead of the servo, any fraction of a tick
  HydraulicParams hydraulic;                                  // servo_hydraulic
  LegParams leg;                                              // leg; between two commands it sees a straight line
  double lag_s = 0.01;                                        // first_order: tau
  double stroke_m = std::numeric_limits<double>::infinity();  // |x| limit, end stop
  double velocity_limit_m_per_s = std::numeric_limits<double>::infinity();  // no-load velocity v0
  double force_limit_n =
      std::numeric_limits<double>::infinity();  // stall force F0; |v| <= v0 sqrt(1 - F/F0) against a load
};

/// PS on the rig = model of the PS times these factors (1 = as modelled).
struct SpecimenParams {
  double mass_factor = 1.0, damping_factor = 1.0, stiffness_factor = 1.0;
};

/// White noise, then saturation at +-range, then quantisation to `bits` over 2 * range.
struct SensorParams {
  double noise_rms = 0.0;  // m or N
  double range = std::numeric_limits<double>::infinity();
  int bits = 0;  // 0 = no quantisation
};

struct TwinParams {
  std::vector<ActuatorParams> actuators;  // one per interface DOF, or one for all
  SpecimenParams specimen;
  SensorParams displacement_sensor, force_sensor;
  Eigen::MatrixXd readings;  // S [y, i]: displacement sensors y = S x, more of them than axes; empty: one for each axis
  std::uint64_t seed = 1;
};

}  // namespace hyb
