#include "core/project/sensed_twin.h"

#include <algorithm>

#include "core/base/words.h"
#include "core/project/reading.h"
#include "core/structure/interface_map.h"
#include "core/structure/reduction.h"

namespace hyb {

TwinParams sensedTwin(const Project& project, const Partition& partition) {
  TwinParams params = project.twin;
  const PartitionSpec& cut = project.partition;
  if (!cut.sensors.empty()) params.readings = sensorMap(partition, cut.sensors).readings;
  for (const InterfaceAxis& sensor : cut.sensors) params.accelerometers.push_back(sensor.acceleration ? 1 : 0);
  if (!cut.force_sensors.empty()) params.force_readings = forceSensorMap(partition, cut.force_sensors).readings;
  if (params.moments.empty()) return params;
  Checks checks;
  const Model model = buildModel(project.structure);
  const Eigen::MatrixXd basis = reduce(partition.physical, partition.interface_in_physical, cut.physical).basis;
  for (std::size_t m = 0; m < params.moments.size(); ++m) {
    MomentSensor& sensor = params.moments[m];
    const std::string where = "/rig/sensors/" + std::to_string(m);
    const auto named = [&](const auto& other) { return other.name == sensor.name; };
    const auto own = std::ranges::find_if(cut.force_sensors, named);
    if (own == cut.force_sensors.end()) {
      std::vector<std::string> known;
      for (const InterfaceAxis& axis : cut.force_sensors) known.push_back(axis.name);
      checks.fault(where + "/name", "\"" + sensor.name + "\" is no force sensor of the partition. " +
                                        hint(sensor.name, known) +
                                        "Describe its response to the interface forces in /partition/force_sensors");
    }
    if (std::find_if(params.moments.begin(), params.moments.begin() + static_cast<std::ptrdiff_t>(m), named) !=
        params.moments.begin() + static_cast<std::ptrdiff_t>(m))
      checks.fault(where + "/name", "\"" + sensor.name + "\" is described twice; remove one of them");
    Checks found;
    found.notNegative("/noise_rms_n_m", sensor.noise_rms_n_m, "N m");
    found.notNegative("/hum/amplitude_n_m", sensor.hum_n_m, "N m");
    found.positive("/hum/frequency_hz", sensor.hum_hz, "Hz");
    Checks filters;
    checkLowPasses(filters, sensor.filters);
    found.take(filters, "/filters");
    found.collect([&] {
      const SectionForce section = sectionMoment(model, cut, partition, sensor.station_m);
      sensor.section = {section.of_displacement * basis, section.of_acceleration * basis};
    });
    checks.take(found, where);
    sensor.reading = static_cast<std::size_t>(own - cut.force_sensors.begin());
  }
  checks.throwIfAny();
  return params;
}

}  // namespace hyb
