#include "core/transfer/actuator.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/transfer/leg.h"

namespace hyb {

double velocityCapacity(const ActuatorParams& params, double opposing_n) noexcept {
  const double load = std::max(0.0, opposing_n) / params.force_limit_n;
  return load < 1.0 ? params.velocity_limit_m_per_s * std::sqrt(1.0 - load) : 0.0;
}

bool takesCommand(ActuatorModel model) noexcept {
  return model != ActuatorModel::pure_delay && model != ActuatorModel::ideal;
}

double angularFrequency(const ActuatorParams& servo) noexcept {
  return 2.0 * std::numbers::pi * servo.natural_frequency_hz;
}

namespace {

void checkLeg(Checks& checks, const LegParams& leg, const std::string& here, double step_s) {
  bool good = checks.positive(here + "/plant_gain_m_per_a_s2", leg.plant_gain_m_per_a_s2, "m/(A s2)");
  good = checks.positive(here + "/plant_pole_per_s", leg.plant_pole_per_s, "1/s") && good;
  good = checks.positive(here + "/position_gain_per_s", leg.position_gain_per_s, "1/s") && good;
  good = checks.positive(here + "/velocity_gain_a_s_per_m", leg.velocity_gain_a_s_per_m, "A s/m") && good;
  good = checks.notNegative(here + "/integral_gain_a_per_m", leg.integral_gain_a_per_m, "A/m") && good;
  if (!good) return;
  const double radius = legSpectralRadius(leg, step_s);
  if (!(radius < 1.0))
    checks.fault(here + "/position_gain_per_s", leg.position_gain_per_s, "1/s",
                 "makes the leg unstable by itself with its other gains at a tick of " + Checks::text(step_s, "s") +
                     "; lower it or velocity_gain_a_s_per_m, or raise /loop/rate_hz");
}

}  // namespace

void checkActuator(Checks& checks, const ActuatorParams& params, std::size_t index, double step_s) {
  const std::string here = "/rig/actuators/" + std::to_string(index);
  checks.positive(here + "/gain", params.gain, "");
  constexpr double inf = std::numeric_limits<double>::infinity();
  const auto limit = [&](const char* name, double value, const char* unit) {
    if (!(value > 0.0 && value <= inf))
      checks.fault(here + name, value, unit, "a limit must be greater than 0; leave it out for none");
  };
  limit("/stroke_m", params.stroke_m, "m");
  limit("/velocity_limit_m_per_s", params.velocity_limit_m_per_s, "m/s");
  limit("/force_limit_n", params.force_limit_n, "N");

  if (params.model == ActuatorModel::servo) {
    checks.positive(here + "/damping_ratio", params.damping_ratio, "");
    if (checks.positive(here + "/natural_frequency_hz", params.natural_frequency_hz, "Hz")) {
      // Beyond this the servo settles within the tick many times over, and its exponential loses its digits.
      const double fastest_hz = 100.0 / step_s;
      if (params.natural_frequency_hz > fastest_hz)
        checks.fault(here + "/natural_frequency_hz", params.natural_frequency_hz, "Hz",
                     "is too fast for a tick of " + Checks::text(step_s, "s") + "; lower it to at most " +
                         Checks::text(fastest_hz, "Hz") + ", raise /loop/rate_hz, or use model \"ideal\"");
      if (params.damping_ratio > 100.0)
        checks.fault(here + "/damping_ratio", params.damping_ratio, "", "must be at most 100");
    }
  }
  if (params.model == ActuatorModel::servo_hydraulic) {
    checks.positive(here + "/a1b0", params.hydraulic.a1b0, "N/(m s3)");
    checks.positive(here + "/b2", params.hydraulic.b2, "1/s2");
    checks.notNegative(here + "/a2", params.hydraulic.a2, "N/m");
    checks.notNegative(here + "/a3", params.hydraulic.a3, "1/s");
    checks.notNegative(here + "/b1", params.hydraulic.b1, "1/s");
    checks.notNegative(here + "/piston_mass_kg", params.hydraulic.piston_mass_kg, "kg");
  }
  if (params.model == ActuatorModel::leg) checkLeg(checks, params.leg, here, step_s);
  if (params.model == ActuatorModel::first_order && checks.positive(here + "/lag_s", params.lag_s, "s")) {
    const double shortest_s = 0.01 * step_s;  // as for the servo
    if (params.lag_s < shortest_s)
      checks.fault(here + "/lag_s", params.lag_s, "s",
                   "is too short for a tick of " + Checks::text(step_s, "s") + "; lengthen it to at least " +
                       Checks::text(shortest_s, "s") + ", raise /loop/rate_hz, or use model \"ideal\"");
  }
  if (params.model != ActuatorModel::ideal) {
    constexpr double longest_s = 1.0;
    constexpr double most_ticks = 1e5;
    const std::string delay = here + "/delay_s";
    if (!checks.between(delay, params.delay_s, 0.0, longest_s, "s")) return;
    if (params.delay_s / step_s > most_ticks)
      checks.fault(delay, params.delay_s, "s", "is longer than 100000 ticks; shorten it or lower /loop/rate_hz");
    if (params.model == ActuatorModel::pure_delay && splitDelay(params.delay_s, step_s).ticks < 1)
      checks.fault(delay, params.delay_s, "s",
                   "model \"pure-delay\" needs at least one tick (" + Checks::text(step_s, "s") +
                       "), or it would have to know the next command; lengthen the delay, raise /loop/rate_hz to at "
                       "least " +
                       (params.delay_s > 0.0 ? Checks::text(1.0 / params.delay_s, "Hz") : "1/delay") +
                       ", or use model \"servo\" or \"ideal\"");
  }
}

}  // namespace hyb
