#include "core/transfer/actuator.h"

#include <algorithm>
#include <cmath>

namespace hyb {
namespace {

class LateCommand final : public ActuatorDrive {
 public:
  using ActuatorDrive::ActuatorDrive;

 private:
  TickInputs inputs(double /*x_m*/, double /*v_mps*/) noexcept override {
    return {commands().at(delay().ticks + 1).position, commands().at(delay().ticks).position};
  }
};

}  // namespace

std::vector<double> ActuatorDrive::state() const {
  std::vector<double> all;
  for (std::size_t back = 0; back <= delay_.ticks; ++back) {
    all.push_back(commands_.at(back).position);
    all.push_back(commands_.at(back).rate);
  }
  return all;
}

void ActuatorDrive::setState(std::span<const double> state) {
  for (std::size_t back = delay_.ticks + 1; back-- > 0;) commands_.push({state[2 * back], state[2 * back + 1]});
}

std::unique_ptr<ActuatorDrive> makeLateCommand(double delay_s, double step_s) {
  return std::make_unique<LateCommand>(delay_s, step_s);
}

void checkActuator(Checks& checks, const ActuatorSpec& actuator, double step_s) {
  checks.positive("/gain", actuator.gain, "");
  constexpr double inf = std::numeric_limits<double>::infinity();
  const auto limit = [&](const char* where, double value, const char* unit) {
    if (!(value > 0.0 && value <= inf))
      checks.fault(where, value, unit, "a limit must be greater than 0; leave it out for no limit");
  };
  limit("/stroke_m", actuator.stroke_m, "m");
  limit("/velocity_limit_m_per_s", actuator.velocity_limit_m_per_s, "m/s");
  limit("/acceleration_limit_m_per_s2", actuator.acceleration_limit_m_per_s2, "m/s2");
  limit("/force_limit_n", actuator.force_limit_n, "N");
  if (actuator.spring) checks.positive("/spring/stiffness_n_per_m", actuator.spring->stiffness_n_per_m, "N/m");
  constexpr double longest_s = 1.0;
  constexpr double most_ticks = 1e5;
  if (checks.between("/delay_s", actuator.delay_s, 0.0, longest_s, "s") && actuator.delay_s / step_s > most_ticks)
    checks.fault("/delay_s", actuator.delay_s, "s", "is longer than 100000 ticks; shorten it or lower /loop/rate_hz");
  actuator.model->check(checks, actuator.delay_s, step_s);
}

std::string describe(const ActuatorSpec& actuator) {
  return actuator.model->description(Checks::text(1e3 * actuator.delay_s, "ms"));
}

double velocityCapacity(const ActuatorSpec& actuator, double opposing_n) noexcept {
  const double load = std::max(0.0, opposing_n) / actuator.force_limit_n;
  return load < 1.0 ? actuator.velocity_limit_m_per_s * std::sqrt(1.0 - load) : 0.0;
}

ActuatorTransfer transferOf(const ActuatorSpec& actuator) {
  ActuatorTransfer transfer = actuator.model->transfer();
  for (double& coefficient : transfer.numerator) coefficient *= actuator.gain;
  for (ActuatorTransfer::Cross& cross : transfer.cross)
    for (double& coefficient : cross.numerator) coefficient *= actuator.gain;
  return transfer;
}

std::vector<DelayPart> deadTimes(const ActuatorSpec& actuator, double tick_s, double frequency_hz) {
  std::vector<DelayPart> parts;
  if (actuator.delay_s > 0.0) parts.push_back({"pure delay", actuator.delay_s});
  if (DelayPart sampling = actuator.model->sampling(tick_s, frequency_hz); sampling.seconds != 0.0)
    parts.push_back(std::move(sampling));
  return parts;
}

}  // namespace hyb
