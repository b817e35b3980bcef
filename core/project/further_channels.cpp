#include "core/project/further_channels.h"

#include "core/project/interface_sensing.h"
#include "core/project/rig_legs.h"
#include "core/rig/device_rig.h"
#include "core/rig/geometry_rig.h"
#include "core/rig/sensed_rig.h"
#include "core/rig/shadow_rig.h"
#include "core/rig/twin.h"

namespace hyb {

std::vector<Channel> furtherChannels(const Project& project, const Partition& partition) {
  const std::size_t interfaces = partition.interface.size();
  const std::vector<InterfaceAxis>& sensors = project.partition.sensors;
  std::vector<Channel> all = project.coupling->columns(partition);
  const auto add = [&all](const std::vector<Channel>& more) { all.insert(all.end(), more.begin(), more.end()); };
  if (project.rig.use == RigUse::twin)
    add(twinChannels(project.twin, interfaces));
  else
    add(deviceRigChannels(projectChannels(project, interfaces)));
  if (project.rig.geometry) add(geometryChannels(*project.rig.geometry));
  add(sensedChannels(sensors, forceCells(project, partition.interface)));
  if (project.rig.use == RigUse::shadow) add(shadowChannels(project.coupling->axisSignals(partition.interface)));
  return all;
}

}  // namespace hyb
