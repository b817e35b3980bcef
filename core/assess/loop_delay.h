#pragma once
#include <complex>
#include <string>
#include <vector>

#include "core/project/project.h"
#include "core/stability/delay_stability.h"

namespace hyb {

/// What one actuator's motion lags behind its target, by parts: its own lag, pure delay, held command, delay added on
/// purpose, held force, link to the rig.
struct ActuatorDelay {
  std::string dof;               // name of its interface DOF
  std::vector<DelayPart> parts;  // without the compensation
  double delay_s = 0.0;          // sum of the parts
  double lead_s = 0.0;           // what the compensation predicts, adaptive ones as they start
  double remaining_s() const noexcept { return delay_s - lead_s; }
};

/// The delay of a project's loop, each actuator for itself. The one answer for command line, window, pre-flight, FACE
/// and measures.
struct LoopDelay {
  std::vector<ActuatorDelay> actuators;  // [i]
  /// The one that lags most after compensation.
  const ActuatorDelay& latest() const noexcept;
};
/// At a frequency at which the lags are taken. `partition`: buildPartition().
LoopDelay loopDelay(const Project& project, const Partition& partition, double frequency_hz);

/// The cut by itself, as the project's scheme couples it: actuators that reach every command at once. `late`: as of
/// DelaySystem.
DelaySystem cutSystem(const Project& project, const Partition& partition, std::optional<Eigen::Index> late = {});

enum class Compensated : bool { no, yes };
/// The project's loop in continuous time: the specimen as it stands on the twin, each actuator with its own response,
/// delay and coupling with the specimen. The response of a prediction is that of its polynomial, an adaptive one as it
/// starts. frequency_hz: at which sampled controllers are matched.
DelaySystem loopSystem(const Project& project, const Partition& partition, double frequency_hz,
                       Compensated compensated);

/// What the compensation makes of target i, as it starts, the delay added behind it included. plant: the motion that
/// the actuator makes of a command of 1, for a compensator that reads it.
std::complex<double> compensationResponse(const Project& project, std::size_t i, std::complex<double> plant,
                                          std::complex<double> s);

}  // namespace hyb
