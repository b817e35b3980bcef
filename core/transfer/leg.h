#pragma once
#include <array>
#include <complex>

#include "core/transfer/actuator.h"

namespace hyb {

/// Leg of a Stewart platform, motor current i to length x: x'' = gain i - pole x'. Its controller requires the velocity
/// Kp (u - x), with velocity_feedforward plus u', and converts the velocity error to current by a PI law. Its input is
/// linearly interpolated between two commands; its current is held over the tick. Exact in time. Defaults: leg 2 with
/// the gains of the source's linear studies (kLegPlants has all six). Source: C. Insam, dissertation (TUM 2022),
/// section 4.2, tables 4.1 and A.1.
struct LegParams {
  double plant_gain_m_per_a_s2 = 1053.1;
  double plant_pole_per_s = 55.5;
  double position_gain_per_s = 90.0;
  double velocity_gain_a_s_per_m = 0.2;
  double integral_gain_a_per_m = 5.0;
  bool velocity_feedforward = false;  // u' is the difference of the last two commands
};
ActuatorModelPtr electricLeg(const LegParams& params = {});
/// The settings of a project.
LegParams readLeg(const Json& settings);
ActuatorSpec parseLeg(const Json& settings);

/// Identified plants of the six legs of a Stewart platform. Source: C. Insam, dissertation (TUM 2022), table 4.1.
struct LegPlant {
  double gain_m_per_a_s2, pole_per_s;
};
inline constexpr std::array<LegPlant, 6> kLegPlants{
    {{1011.0, 122.9}, {1053.1, 55.5}, {1123.5, 54.7}, {780.9, 55.3}, {988.1, 66.2}, {1070.9, 59.0}}};

/// The sampled controller of a leg: position loop around a velocity loop (P around PI), with optional velocity
/// feed-forward of the command. It reads the motion at the start of a tick and holds its current over the tick. Source:
/// Insam 2022, section 4.2.2.
class LegController {
 public:
  /// State between ticks.
  struct State {
    double integral_a = 0.0;  // of the velocity loop
    double wanted_m = 0.0;    // position target of the last tick
  };
  LegController(const LegParams& params, double step_s) : params_(params), step_s_(step_s) {}
  /// Motor current over the tick that begins, A, from position target, position and velocity. Real-time safe.
  double current(double wanted_m, double x_m, double v_mps) noexcept;
  /// Removes the last contribution of current() to the integral: a limit held the leg, and the integral would wind up.
  /// Real-time safe.
  void holdIntegral() noexcept { state_.integral_a = last_integral_a_; }
  const State& state() const noexcept { return state_; }
  void setState(const State& state) noexcept { state_ = state; }

 private:
  LegParams params_;
  double step_s_;
  State state_;
  double last_integral_a_ = 0.0;
};

/// Closed leg, measured over commanded motion, at the complex frequency s, 1/s, with a controller in continuous time.
std::complex<double> legResponse(const LegParams& params, std::complex<double> s);
/// The same when sampled: motion read at the ticks over command at the ticks, at w rad/s.
std::complex<double> sampledLegResponse(const LegParams& params, double step_s, double w_rad_per_s);
/// Spectral radius of the sampled leg; stable below 1.
double legSpectralRadius(const LegParams& params, double step_s);

}  // namespace hyb
