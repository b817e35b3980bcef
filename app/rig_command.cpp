#include "app/rig_command.h"

#include <filesystem>

#include "app/console.h"
#include "app/stop_signal.h"
#include "core/loop/realtime.h"
#include "core/rig/device_channels.h"
#include "core/rig/faulty_rig.h"
#include "core/run/build.h"
#include "core/structure/interface_map.h"
#include "hardware/rig_server.h"

namespace hyb::app {

int serveRig(const RigCommand& command) {
  StopSignal signal;
  std::filesystem::path folder;
  Json document = loadDocument(command.project, &folder);
  for (const std::string& assignment : command.set) setValue(document, assignment);
  const Project project = parseProject(document, folder);
  const Partition partition = buildPartition(project);
  const std::vector<InterfaceAxis>& sensors = project.partition.sensors;
  std::unique_ptr<Rig> twin =
      makeFaultyRig(buildRawTwin(project, partition), 1.0 / project.loop.rate_hz, project.twin.seed);

  RigServerSpec spec;
  spec.listen = parseAddress(command.listen, "--listen");
  spec.serial = project.rig.connection.serial;
  spec.rate_hz = project.loop.rate_hz;
  spec.channels = rigChannels(project.rig, partition.interface.size(), sensors.size(),
                              project.coupling->reads(partition.interface.size()));
  if (!sensors.empty()) {
    const SensorMap all = sensorMap(partition, sensors);
    spec.from_readings =
        hasAccelerometer(sensors) ? mapOfKind(all, sensors, SensorKind::displacement).from_readings : all.from_readings;
  }
  spec.faults = project.rig.faults;
  spec.seed = project.twin.seed;
  const std::string description = twin->description();
  RigServer server(std::move(twin), std::move(spec), note);
  if (command.json)
    printJson({{"address", server.address()}, {"rate_hz", project.loop.rate_hz}, {"rig", description}});
  else
    print("serving at " + server.address() + " (" + description + "); Ctrl-C ends\n");
  note("real time: " + enterRealtime(project.realtime).summary());
  server.serve([&signal] { return signal.received(); });
  note("ended; the rig is at rest");
  return kDone;
}

}  // namespace hyb::app
