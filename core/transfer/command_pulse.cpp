#include "core/transfer/command_pulse.h"

#include <cmath>

#include "core/compensation/command_history.h"
#include "core/transfer/transfer_system.h"

namespace hyb {
namespace {

constexpr std::size_t kMostTicks = 4096;
constexpr double kCounts = 1e-5;  // rms of the omitted rest, relative to the whole

TwinParams linear(TwinParams params) {
  params.laws.clear();
  constexpr double unlimited = std::numeric_limits<double>::infinity();
  for (ActuatorSpec& actuator : params.actuators)
    actuator.stroke_m = actuator.velocity_limit_m_per_s = actuator.force_limit_n = unlimited;
  return params;
}

}  // namespace

std::vector<double> pulseResponse(const Partition& partition, const TwinParams& params, double step_s,
                                  const CommandPulse& pulse) {
  const auto count = static_cast<Eigen::Index>(partition.interface.size()),
             axis = static_cast<Eigen::Index>(pulse.axis);
  TransferSystem twin(partition, linear(params), step_s);
  CommandDelay late(pulse.late_s.size() > 0 ? pulse.late_s : Eigen::VectorXd::Zero(count), step_s);
  Command command{Eigen::VectorXd::Zero(count), Eigen::VectorXd::Zero(count)};
  std::vector<double> response;
  double added = 0.0, whole = 0.0, since_half = 0.0;
  std::size_t half = 32;
  for (std::size_t k = 0; k < 2 * kMostTicks; ++k) {
    if (k == 2 * half) {
      if (whole > 0.0 && since_half <= 0.01 * kCounts * kCounts * whole) break;  // it has decayed earlier
      half = k;
      since_half = 0.0;
    }
    const double moved = twin.displacement()[axis], given = k == 0 ? pulse.size : 0.0, last = added;
    response.push_back(moved);
    whole += moved * moved;
    if (k >= half) since_half += moved * moved;
    added = pulse.entry ? pulse.entry->displacement(given, last, step_s) : given;
    command.position.setZero();
    command.rate.setZero();
    command.position[axis] = added;
    command.rate[axis] = (added - last) / step_s;
    late.apply(command);
    twin.advance(command);
  }
  // Backwards from the end, while the rest is negligible.
  double left = 0.0;
  std::size_t ticks = response.size();
  while (ticks > 1 && left + response[ticks - 1] * response[ticks - 1] <= kCounts * kCounts * whole) {
    --ticks;
    left += response[ticks] * response[ticks];
  }
  if (!(whole > 0.0 && std::isfinite(whole)) || ticks > kMostTicks)
    throw InputError("/compensation/additions",
                     "use the response of the twin's actuators, but that of actuator " +
                         std::to_string(pulse.axis + 1) + " does not decay within " + std::to_string(kMostTicks) +
                         " ticks; damp it (/rig/actuators), lower /loop/rate_hz, or remove the additions.");
  response.resize(ticks);
  return response;
}

}  // namespace hyb
