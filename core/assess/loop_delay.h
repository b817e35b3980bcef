#pragma once
#include <complex>
#include <string>
#include <vector>

#include "core/project/project.h"
#include "core/stability/delay_stability.h"

namespace hyb {

/// Delay of one actuator's motion behind its target, by parts: own lag, pure delay, held command, added delay, held
/// force, link to the rig.
struct ActuatorDelay {
  std::string dof;               // name of its interface DOF
  std::vector<DelayPart> parts;  // without the compensation
  double delay_s = 0.0;          // sum of the parts
  double lead_s = 0.0;           // lead of the compensation, adaptive ones in their initial state
  double remaining_s() const noexcept { return delay_s - lead_s; }
};

/// Delay of a project's loop for each actuator, shared by command line, window, pre-flight, FACE and measures.
struct LoopDelay {
  std::vector<ActuatorDelay> actuators;  // [i]
  /// The actuator with the largest delay after compensation.
  const ActuatorDelay& latest() const noexcept;
};
/// At the frequency at which the lags are taken. `partition`: buildPartition().
LoopDelay loopDelay(const Project& project, const Partition& partition, double frequency_hz);

/// The cut alone, coupled by the project's scheme, with ideal actuators. `late`: as in DelaySystem.
DelaySystem cutSystem(const Project& project, const Partition& partition, std::optional<Eigen::Index> late = {});

enum class Compensated : bool { no, yes };
/// The project's loop in continuous time: the specimen on the twin, each actuator with its own response, delay and
/// coupling with the specimen. A prediction has the response of its polynomial; an adaptive one that of its initial
/// state. frequency_hz: frequency at which sampled controllers are matched.
DelaySystem loopSystem(const Project& project, const Partition& partition, double frequency_hz,
                       Compensated compensated);

/// Response of the compensation to target i in its initial state, including the added delay behind it. plant: motion of
/// the actuator for a unit command, for a compensator that reads it.
std::complex<double> compensationResponse(const Project& project, std::size_t i, std::complex<double> plant,
                                          std::complex<double> s);

}  // namespace hyb
