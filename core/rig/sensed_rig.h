#pragma once
#include <memory>
#include <vector>

#include "core/rig/rig.h"
#include "core/structure/interface_map.h"

namespace hyb {

/// Sensors of one kind, and how they read the interface; without any, each axis has its own.
struct InterfaceSensors {
  SensorMap map;
  std::vector<InterfaceAxis> sensors = {};  // as many as map.readings has rows, or none
};

/// A rig whose interface motion comes from displacement sensors: x = S^+ y, least squares, and whose forces from force
/// sensors: f = G^-1 m. The rig beneath counts displacement sensors: its measured is y, sensor by sensor; its forces
/// are m; its commands are those of the actuators, of which there are no more than sensors; those beyond are 0.
///
/// - Further columns, behind those of the rig beneath: sensor_<i>, what each displacement sensor reads, and
///   sensor_residual, the largest |y - S x|: how far they contradict each other; force_sensor_<i>.
/// - What was read becomes RigState::readings: y, then m.
/// - A reading that is not a number makes every motion (or force) none, and failure() names the sensor.
/// - Faults on purpose of displacement sensors, injected beneath, are those of the sensor with that number.
std::unique_ptr<Rig> makeSensedRig(std::unique_ptr<Rig> rig, InterfaceSensors motions, InterfaceSensors forces);

/// Its own further columns.
std::vector<Channel> sensedChannels(const std::vector<InterfaceAxis>& sensors,
                                    const std::vector<InterfaceAxis>& force_sensors);

}  // namespace hyb
