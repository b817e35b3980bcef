#pragma once
#include <cstdint>
#include <memory>

#include "core/loop/loop.h"
#include "core/project/project.h"
#include "core/record/run_file_writer.h"
#include "core/run/device_factory.h"
#include "core/structure/partition.h"
#include "core/tick/target_exchange.h"

namespace hyb {

/// The cut in actuator axes, both sides whole (not reduced).
Partition buildPartition(const Project& project);
/// Reads ground motions, so it may throw InputError naming the file.
Excitation buildExcitation(const Project& project, const Partition& partition);
/// Frequency common to all periodic signals, Hz; 0 where there is none, and where a record is among the signals.
double excitationFrequency_hz(const Project& project);
/// What the project's scheme is made from; project and partition must outlive it.
SchemeContext schemeContext(const Project& project, const Partition& partition,
                            std::shared_ptr<TargetExchange> exchange = {});
/// `exchange`: with whom the targets are exchanged where another program computes the NS.
/// The project's twin: actuators, specimen (reduced if asked), sensors.
std::unique_ptr<Rig> buildTwin(const Project& project, const Partition& partition);
/// The twin as hardware gives it: where the project has sensors, measured holds the reading of each.
std::unique_ptr<Rig> buildRawTwin(const Project& project, const Partition& partition);
/// What such a rig reads becomes motion of the interface; the rig as it is where the project has no sensors.
std::unique_ptr<Rig> withSensors(const Project& project, const Partition& partition, std::unique_ptr<Rig> rig);
/// Who may ask for faults on purpose while a test runs.
enum class FaultsBy : std::uint8_t { anyone, project };
/// What the project runs on: its twin, its rig by `devices`, or the rig with the twin as its shadow. Each takes faults
/// on purpose; a twin for which none can be asked goes without what makes them. `paced`: in real time. Throws
/// InputError when a rig is asked for and there are no devices.
std::unique_ptr<Rig> buildRig(const Project& project, const Partition& partition, const DeviceFactory& devices,
                              bool paced, FaultsBy faults = FaultsBy::anyone);
/// The whole loop on any rig, with a scheme made from `context`.
std::unique_ptr<Loop> buildLoop(const Project& project, std::unique_ptr<Rig> rig, SchemeContext context);
std::unique_ptr<Loop> buildLoop(const Project& project, std::unique_ptr<Rig> rig,
                                std::shared_ptr<TargetExchange> exchange = nullptr);
/// The whole loop on what the project runs on.
std::unique_ptr<Loop> buildLoop(const Project& project, const DeviceFactory& devices = {}, bool paced = false,
                                std::shared_ptr<TargetExchange> exchange = nullptr);
/// As that, for tests that nobody attends.
std::unique_ptr<Loop> buildUnattendedLoop(const Project& project, const DeviceFactory& devices = {},
                                          bool paced = false);
RunFileHeader buildHeader(const Project& project);

}  // namespace hyb
