#pragma once
#include <cstdint>
#include <limits>
#include <vector>

namespace hyb {

enum class ActuatorModel : std::uint8_t {
  servo,       // command held over the tick, delayed, then second-order servo; exact in time
  pure_delay,  // x(t) = u(t - delay), linear between commands (no hold); delay >= 1 tick
  ideal,       // command reached within the tick on a straight ramp: x_{k+1} = u_k; no delay
};

struct ActuatorParams {
  ActuatorModel model = ActuatorModel::servo;
  double natural_frequency_hz = 28.0;
  double damping_ratio = 0.7;
  double gain = 1.0;                                          // static gain from command to displacement
  double delay_s = 0.0005;                                    // pure delay ahead of the servo, any fraction of a tick
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
  std::uint64_t seed = 1;
};

}  // namespace hyb
