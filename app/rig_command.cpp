#include <cmath>
#include <filesystem>
#include <utility>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/stop_signal.h"
#include "core/base/figure_text.h"
#include "core/loop/realtime.h"
#include "core/project/rig_legs.h"
#include "core/rig/faulty_rig.h"
#include "core/rig/udp_protocol.h"
#include "core/run/build.h"
#include "core/structure/interface_map.h"
#include "hardware/frame_auth.h"
#include "hardware/polled_server.h"
#include "hardware/rig_server.h"
#include "hardware/udp_server.h"

namespace hyb::app {
namespace {

struct RigCommand {
  std::string project, listen = "tcp://127.0.0.1:0";
  std::vector<std::string> set;
  std::string key_file, new_key;
  bool trust_network = false;
  std::optional<double> max_step, max_speed;  // of commands, SI; none: from the project
  bool json = false;
};

/// Bounds on the rate of commands: those of the served rig's actuators, unless options set them.
std::vector<CommandGuard::Bounds> boundsOf(const RigCommand& command, const Project& project) {
  for (const auto& [option, value] : {std::pair{"--max-step", command.max_step}, {"--max-speed", command.max_speed}})
    if (value && !(*value > 0.0)) throw InputError(option, "must be greater than 0.");
  std::vector<CommandGuard::Bounds> all;
  for (const ChangeBounds& own : actuatorBounds(project)) {
    all.push_back({command.max_step.value_or(own.step), command.max_speed.value_or(own.rate), own.unit, own.rate_unit});
    const CommandGuard::Bounds& bounds = all.back();
    const auto said = [](double bound, const std::string& unit) {
      return std::isfinite(bound) ? quantityText(bound, unit) : std::string("unbounded");
    };
    note("command " + std::to_string(all.size()) + ": step in one tick at most " + said(bounds.step, bounds.unit) +
         ", speed at most " + said(bounds.rate, bounds.rate_unit) +
         (own.words.empty() ? "" : " [project: " + own.words + "]"));
  }
  return all;
}

/// Silence after which a rig stops by itself if its protocol has no field for it.
constexpr double kKeylessSilence_s = 1.0;

/// Says where the rig is served, and serves it until Ctrl-C.
template <typename Server>
int serveUntilStopped(Server& server, const RigCommand& command, const Project& project, const std::string& description,
                      const StopSignal& signal) {
  if (command.json)
    printJson({{"address", server.address()}, {"rate_hz", project.loop.rate_hz}, {"rig", description}});
  else
    print("serving at " + server.address() + " (" + description + "); Ctrl-C ends\n");
  note("real time: " + enterRealtime(project.realtime).summary());
  server.serve([&signal] { return signal.received(); });
  note("ended; the rig is at rest");
  return kDone;
}

/// The layout of the project's datagrams.
const UdpSpec& udpLayout(const Project& project) {
  const RigProtocol* const protocol = project.rig.connection.protocol.get();
  if (protocol == nullptr || !protocol->datagrams())
    throw InputError("/rig/connection/protocol",
                     "must be \"udp\" for a rig at a UDP address: the project describes its datagrams. Change the "
                     "protocol, or give --listen tcp://HOST:PORT.");
  return settingsOf<UdpSpec>(protocol);
}

/// `hybridbench rig`: serves a project's twin as hardware until Ctrl-C.
int serveRig(const RigCommand& command) {
  if (!command.new_key.empty()) {
    makeKeyFile(command.new_key);
    print("new key in \"" + command.new_key +
          "\": serve with --key-file, and set a copy of it as key file in the project of the bench\n");
    return kDone;
  }
  if (command.project.empty()) throw InputError("PROJECT", "is missing; give a project file or a template's name.");
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
  spec.channels = projectChannels(project, partition.interface.size());
  if (!sensors.empty()) {
    const SensorMap all = sensorMap(partition, sensors);
    spec.from_readings =
        hasAccelerometer(sensors) ? mapOfKind(all, sensors, SensorKind::displacement).from_readings : all.from_readings;
  }
  spec.bounds = boundsOf(command, project);
  if (!command.key_file.empty()) spec.key = readKeyFile(command.key_file);
  spec.trust_network = command.trust_network;
  note(command.key_file.empty() ? "no key: every program with access to the address can move the rig"
                                : "key: benches with the same key can move the rig");
  spec.faults = project.rig.faults;
  spec.seed = project.twin.seed;
  const std::string description = twin->description();
  if (spec.listen.kind == Address::Kind::udp) {
    spec.place_s = kKeylessSilence_s;
    UdpServer server(std::move(twin), std::move(spec), udpLayout(project), note);
    return serveUntilStopped(server, command, project, description, signal);
  }
  if (PolledServer::serves(project.rig)) {
    spec.place_s = kKeylessSilence_s;
    PolledServer server(std::move(twin), std::move(spec), project.rig, note);
    return serveUntilStopped(server, command, project, description, signal);
  }
  RigServer server(std::move(twin), std::move(spec), note);
  return serveUntilStopped(server, command, project, description, signal);
}

}  // namespace

void addRig(CommandLine& line) {
  addSubcommand<RigCommand>(
      line, "rig", "Serves the project's twin as hardware until Ctrl-C",
      [](CLI::App& command, RigCommand& options) {
        command.add_option("PROJECT", options.project, "Project file or template");
        command
            .add_option("--listen", options.listen,
                        "tcp://HOST:PORT or udp://HOST:PORT (port 0: a free one), serial:PATH, or serial:pty for a new "
                        "pseudo-terminal; with the protocol of the project if that is text, modbus or ads")
            ->capture_default_str();
        auto* key_file =
            command.add_option("--key-file", options.key_file, "Serves only benches with the key in this file")
                ->type_name("FILE");
        command
            .add_option("--new-key", options.new_key, "Creates a file with a new key, readable only by you, and ends")
            ->type_name("FILE")
            ->excludes(key_file);
        command.add_flag("--trust-network", options.trust_network,
                         "Serves other computers without a key: whoever reaches the address can move the rig");
        command.add_option("--max-step", options.max_step,
                           "Largest step of a command in one tick, SI; default: from the project's actuators");
        command.add_option("--max-speed", options.max_speed,
                           "Largest speed of a command, SI; default: from the project's actuators");
        setOption(command, options.set);
        jsonFlag(command, options.json);
      },
      serveRig);
}

}  // namespace hyb::app
