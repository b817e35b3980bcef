#pragma once
#include <memory>
#include <vector>

#include "core/rig/rig.h"
#include "core/structure/interface_map.h"

namespace hyb {

/// A rig whose interface motion comes from displacement sensors: x = S^+ y, least squares. The rig beneath counts
/// sensors: its measured is y, sensor by sensor, its forces and commands are those of the actuators, of which there are
/// no more than sensors; those beyond are 0.
///
/// - Further columns, behind those of the rig beneath: sensor_<i>, what each reads, and sensor_residual, the largest
///   |y - S x|: how far the sensors contradict each other.
/// - A reading that is not a number makes every motion none, and failure() names the sensor.
/// - Faults on purpose of displacement sensors, injected beneath, are those of the sensor with that number.
///
/// `sensors`: as many as map.readings has rows.
std::unique_ptr<Rig> makeSensedRig(std::unique_ptr<Rig> rig, SensorMap map, std::vector<InterfaceAxis> sensors);

/// Its own further columns.
std::vector<Channel> sensedChannels(const std::vector<InterfaceAxis>& sensors);

}  // namespace hyb
