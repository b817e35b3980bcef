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

/// The cut in actuator axes, with both sides unreduced.
Partition buildPartition(const Project& project);
/// Reads ground motions. Throws InputError naming the file.
Excitation buildExcitation(const Project& project, const Partition& partition);
/// Common frequency of all periodic signals, Hz; 0 if there is none, or if a record is among the signals.
double excitationFrequency_hz(const Project& project);
/// Input of the project's scheme. Project and partition must outlive it.
SchemeContext schemeContext(const Project& project, const Partition& partition,
                            std::shared_ptr<TargetExchange> exchange = {});
/// `exchange`: exchange of targets with another program that computes the NS.
/// The project's twin: actuators, specimen (reduced if asked), sensors.
std::unique_ptr<Rig> buildTwin(const Project& project, const Partition& partition);
/// The twin as hardware provides it: in a project with sensors, `measured` holds the reading of each sensor.
std::unique_ptr<Rig> buildRawTwin(const Project& project, const Partition& partition);
/// Turns the readings of such a rig into interface motion; returns the rig unchanged in a project without sensors.
std::unique_ptr<Rig> withSensors(const Project& project, const Partition& partition, std::unique_ptr<Rig> rig);
/// Who may request faults on purpose during a test.
enum class FaultsBy : std::uint8_t { anyone, project };
/// The rig of the project: its twin, hardware made by `devices`, or hardware with the twin as its shadow. Each takes
/// faults on purpose; a twin for which none can be requested omits that layer. `paced`: in real time. Throws InputError
/// if hardware is required and `devices` is empty.
std::unique_ptr<Rig> buildRig(const Project& project, const Partition& partition, const DeviceFactory& devices,
                              bool paced, FaultsBy faults = FaultsBy::anyone);
/// The whole loop on any rig, with a scheme made from `context`.
std::unique_ptr<Loop> buildLoop(const Project& project, std::unique_ptr<Rig> rig, SchemeContext context);
std::unique_ptr<Loop> buildLoop(const Project& project, std::unique_ptr<Rig> rig,
                                std::shared_ptr<TargetExchange> exchange = nullptr);
/// The whole loop on the rig of the project.
std::unique_ptr<Loop> buildLoop(const Project& project, const DeviceFactory& devices = {}, bool paced = false,
                                std::shared_ptr<TargetExchange> exchange = nullptr);
/// The same for unattended tests.
std::unique_ptr<Loop> buildUnattendedLoop(const Project& project, const DeviceFactory& devices = {},
                                          bool paced = false);
RunFileHeader buildHeader(const Project& project);

}  // namespace hyb
