#pragma once
#include <memory>

#include "core/loop/loop.h"
#include "core/project/project.h"
#include "core/record/run_file_writer.h"
#include "core/stability/delay_stability.h"

namespace hyb {

/// The cut in actuator axes, both sides whole (not reduced).
Partition buildPartition(const Project& project);
/// Reads ground motions, so it may throw InputError naming the file.
Excitation buildExcitation(const Project& project, const Partition& partition);
std::unique_ptr<CouplingScheme> buildScheme(const Project& project, const Partition& partition);
/// The project's twin: actuators, specimen (reduced if asked), sensors.
std::unique_ptr<Rig> buildTwin(const Project& project, const Partition& partition);
/// The whole loop on the project's twin.
std::unique_ptr<Loop> buildLoop(const Project& project);
RunFileHeader buildHeader(const Project& project);

/// The parts that make up the delay of the loop (name, seconds), mean over the interfaces: servo, pure delay, held
/// command, held force.
struct DelayPart {
  std::string name;
  double seconds;
};
std::vector<DelayPart> loopDelayParts(const Project& project, double frequency_hz);

}  // namespace hyb
