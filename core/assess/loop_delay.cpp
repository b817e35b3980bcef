#include "core/assess/loop_delay.h"

#include <algorithm>
#include <cmath>

#include "core/base/numbers.h"
#include "core/stability/transfer_terms.h"
#include "core/transfer/command_response.h"
#include "core/transfer/compliance_spring.h"

namespace hyb {
namespace {

using Complex = std::complex<double>;

/// One value for each axis, or one for all.
const ActuatorSpec& actuatorOf(const Project& project, std::size_t i) {
  return project.twin.actuators[project.twin.actuators.size() == 1 ? 0 : i];
}

/// Parts that are equal at all frequencies.
std::vector<DelayPart> constantParts(const Project& project, std::size_t i, double frequency_hz) {
  const double tick_s = 1.0 / project.loop.rate_hz;
  std::vector<DelayPart> parts = deadTimes(actuatorOf(project, i), tick_s, frequency_hz);
  const auto add = [&](const char* name, double seconds) {
    if (seconds != 0.0) parts.push_back({name, seconds});
  };
  add("delay added on purpose", project.compensation.added_delay_s[static_cast<Eigen::Index>(i)]);
  const double load_s = project.coupling->site() != nullptr ? 0.0 : loadDelay(project.integrator, tick_s);
  add(load_s > 0.0 ? "force held over the step" : "force taken ahead of the step", load_s);
  if (project.rig.use != RigUse::twin) add("link to the rig", project.rig.connection.delay_s);
  return parts;
}

/// Of a compensation whose commands depend on several targets. With one target its taps tell the same.
std::optional<CommandSystem> commandsOf(const Project& project, const Partition& partition) {
  return partition.interface.size() > 1 ? project.compensation.method->system() : std::nullopt;
}

}  // namespace

const ActuatorDelay& LoopDelay::latest() const noexcept {
  return *std::max_element(actuators.begin(), actuators.end(), [](const ActuatorDelay& a, const ActuatorDelay& b) {
    return a.remaining_s() < b.remaining_s();
  });
}

DelaySystem cutSystem(const Project& project, const Partition& partition, std::optional<Eigen::Index> late) {
  DelaySystem system{partition, {}, {}, late};
  const Eigen::VectorXd nominal = project.coupling->springs(partition.interface.size());
  if (nominal.size() == 0) return system;
  system.springs = {nominal, nominal};
  for (std::size_t i = 0; i < partition.interface.size(); ++i)
    if (const auto& spring = actuatorOf(project, i).spring)
      system.springs->actual[static_cast<Eigen::Index>(i)] = spring->stiffness_n_per_m;
  return system;
}

LoopDelay loopDelay(const Project& project, const Partition& partition, double frequency_hz) {
  const double w = kTwoPi * frequency_hz;
  TwinParams undelayed = project.twin;
  for (ActuatorSpec& actuator : undelayed.actuators) actuator.delay_s = 0.0;
  const Eigen::MatrixXcd response =
      commandResponse(withSpecimen(partition, project.twin.specimen), undelayed, {0.0, w});
  const std::optional<CommandSystem> commands = commandsOf(project, partition);
  const Eigen::MatrixXcd followed =
      commands ? Eigen::MatrixXcd(response * commands->at({0.0, w}, 1.0 / project.loop.rate_hz)) : response;
  LoopDelay delay;
  for (std::size_t i = 0; i < partition.interface.size(); ++i) {
    ActuatorDelay actuator;
    actuator.dof = partition.interface[i].name;
    const auto k = static_cast<Eigen::Index>(i);
    if (const double lag = -std::arg(response(k, k)); std::abs(lag) > 1e-12)
      actuator.parts.push_back({actuatorOf(project, i).model->lagName(), lag / w});
    for (const DelayPart& part : constantParts(project, i, frequency_hz)) {
      const auto same = std::find_if(actuator.parts.begin(), actuator.parts.end(),
                                     [&](const DelayPart& other) { return other.name == part.name; });
      if (same != actuator.parts.end())
        same->seconds += part.seconds;
      else
        actuator.parts.push_back(part);
    }
    for (const DelayPart& part : actuator.parts) actuator.delay_s += part.seconds;
    actuator.lead_s = project.compensation.method->lead_s(i);
    if (commands)  // by all commands together
      actuator.lead_s = std::arg(followed(k, k) / response(k, k)) / w;
    if (const CommandFeedback taken = feedbackOf(*project.compensation.method, i); !taken.measured.empty()) {
      const Complex s(0.0, w),
          plant = std::polar(std::abs(response(k, k)), -w * actuator.delay_s);  // makes a difference
      actuator.lead_s = std::arg(commandOverTarget(project.compensation.method->taps(i), taken,
                                                   1.0 / project.loop.rate_hz, plant, s)) /
                        w;
    }
    delay.actuators.push_back(std::move(actuator));
  }
  return delay;
}

DelaySystem loopSystem(const Project& project, const Partition& partition, double frequency_hz,
                       Compensated compensated) {
  DelaySystem system = cutSystem(project, withSpecimen(partition, project.twin.specimen));
  if (!system.springs) system.partition = behindSprings(std::move(system.partition), project.twin);
  const FixtureParams& fixture = project.twin.fixture;
  const bool has_fixture = fixture.mass_kg.size() > 0 || fixture.stiffness_n_per_m.size() > 0;
  const bool read_too = has_fixture && fixture.isRead() && !system.springs;
  if (read_too) {  // felt and read as a part of the specimen
    const std::vector<Eigen::Index>& at = system.partition.interface_in_physical;
    const auto add = [&at](SparseMatrix& matrix, const Eigen::MatrixXd& of_fixture) {
      for (Eigen::Index i = 0; i < of_fixture.rows(); ++i)
        for (Eigen::Index j = 0; j < of_fixture.cols(); ++j)
          matrix.coeffRef(at[static_cast<std::size_t>(i)], at[static_cast<std::size_t>(j)]) += of_fixture(i, j);
    };
    add(system.partition.physical.m, fixture.mass_kg);
    add(system.partition.physical.k, fixture.stiffness_n_per_m);
  }
  const std::size_t count = partition.interface.size();
  system.base_delay_s.setZero(static_cast<Eigen::Index>(count));
  if (compensated == Compensated::yes) system.commands = commandsOf(project, partition);
  for (std::size_t i = 0; i < count; ++i) {
    ActuatorTransfer transfer = transferOf(actuatorOf(project, i));
    if (compensated == Compensated::yes && !system.commands) {
      transfer.taps = project.compensation.method->taps(i);
      system.feedback.push_back(feedbackOf(*project.compensation.method, i));
    }
    transfer.tap_s = 1.0 / project.loop.rate_hz;
    if (has_fixture && !read_too && !transfer.load.empty()) {  // felt but not read: d + l (F s^2 + G) in place of d
      const auto k = static_cast<Eigen::Index>(i);
      const auto own = [k](const Eigen::MatrixXd& matrix) { return matrix.size() > 0 ? matrix(k, k) : 0.0; };
      const std::vector<double> inertia =
          product(transfer.load, {own(fixture.stiffness_n_per_m), 0.0, own(fixture.mass_kg)});
      transfer.denominator.resize(std::max(transfer.denominator.size(), inertia.size()), 0.0);
      for (std::size_t n = 0; n < inertia.size(); ++n) transfer.denominator[n] += inertia[n];
    }
    system.actuators.push_back(std::move(transfer));
    double& base_s = system.base_delay_s[static_cast<Eigen::Index>(i)];
    for (const DelayPart& part : constantParts(project, i, frequency_hz)) base_s += part.seconds;
    base_s = std::max(0.0, base_s);  // a force taken ahead of its step can exceed the other delays
  }
  return system;
}

Complex compensationResponse(const Project& project, std::size_t i, Complex plant, Complex s) {
  const Complex late = std::exp(-s * project.compensation.added_delay_s[static_cast<Eigen::Index>(i)]);
  return commandOverTarget(project.compensation.method->taps(i), feedbackOf(*project.compensation.method, i),
                           1.0 / project.loop.rate_hz, plant * late, s) *
         late;
}

}  // namespace hyb
