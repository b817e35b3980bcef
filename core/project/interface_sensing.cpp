#include "core/project/interface_sensing.h"

#include <string>

#include "core/structure/interface_map.h"

namespace hyb {
namespace {

std::string quotedScheme(const Project& project) { return "\"" + std::string(project.coupling->name()) + "\""; }

/// The measured force contains the force of the fixture, and it can be removed.
void checkFixture(const Project& project, Checks& checks) {
  const std::string place = "/rig/fixture/taken_out";
  if (!project.twin.fixture.load_cell_beneath)
    checks.fault(place,
                 "has no effect: the load cell is between fixture and specimen; set /rig/fixture/load_cell to "
                 "\"actuator\", or remove this");
  if (!project.twin.moments.empty())
    checks.fault(place,
                 "removes the fixture force from load cells, but the strain gauges of /rig/sensors do not measure it; "
                 "remove one of them");
}

}  // namespace

bool isSensed(const Project& project) {
  return !project.partition.sensors.empty() || !project.partition.force_sensors.empty() ||
         project.twin.fixture.taken_out;
}

std::vector<InterfaceAxis> forceCells(const Project& project, const std::vector<Dof>& interface) {
  std::vector<InterfaceAxis> cells = project.partition.force_sensors;
  if (!cells.empty() || !project.twin.fixture.taken_out) return cells;
  for (const Dof& axis : interface) cells.push_back({axis.name, axis.motion, {{axis.name, 1.0}}});
  return cells;
}

InterfaceSensing interfaceSensing(const Project& project, const Partition& partition) {
  const PartitionSpec& cut = project.partition;
  InterfaceSensing sensing;
  sensing.motions = {motionMap(partition, cut.sensors), cut.sensors};
  sensing.forces = {forceSensorMap(partition, cut.force_sensors), forceCells(project, partition.interface)};
  sensing.orders = project.coupling->harmonicOrders();
  Checks checks;
  const SensorMap all = sensorMap(partition, cut.sensors),
                  accelerations = mapOfKind(all, cut.sensors, SensorKind::acceleration);
  const bool accelerates = hasAccelerometer(cut.sensors), harmonic = !sensing.orders.empty();
  if (accelerates && !harmonic) {  // only schemes with harmonics can derive a motion from an acceleration
    const SensorMap displacements = mapOfKind(all, cut.sensors, SensorKind::displacement);
    if (const std::string untold = untoldMotion(displacements, partition); !untold.empty())
      checks.fault("/partition/sensors", "cannot determine the motion " + untold +
                                             ": accelerometers determine a motion only if commands are sums of "
                                             "harmonics, but those of the coupling scheme " +
                                             quotedScheme(project) + " are not; add a displacement sensor for it");
  }
  const FixtureParams& fixture = project.twin.fixture;
  if (fixture.taken_out) {
    checkFixture(project, checks);
    const std::string untold = accelerates ? untoldMotion(accelerations, partition) : partition.interface.front().name;
    if (accelerates && untold.empty())
      sensing.accelerations = accelerations.from_readings;
    else if (!harmonic)
      checks.fault(
          "/rig/fixture/taken_out",
          "needs the acceleration of every axis, but no sensor measures that of " + untold +
              "; add accelerometers to /partition/sensors (\"reads\": \"acceleration\"), or remove this. If commands "
              "are sums of harmonics, the acceleration follows from the motion, but those of the coupling scheme " +
              quotedScheme(project) + " are not");
    sensing.fixture_kg = fixture.mass_kg;
    sensing.fixture_n_per_m = fixture.stiffness_n_per_m;
  }
  checks.throwIfAny();
  return sensing;
}

}  // namespace hyb
