#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/console.h"
#include "core/project/rig_legs.h"
#include "core/rig/device_channels.h"
#include "core/run/build.h"
#include "hardware/conform.h"

namespace hyb::app {
namespace {

struct ConformCommand {
  std::string address, project = "three-mass", key_file;
  std::vector<std::string> set, rules;
  double answer_s = 2.0;
  bool json = false;
};

/// `hybridbench conform`: tries the rules of the rig protocol on a device. Exit code 1: it breaks one.
int tryRules(const ConformCommand& command) {
  std::filesystem::path folder;
  Json document = loadDocument(command.project, &folder);
  for (const std::string& assignment : command.set) setValue(document, assignment);
  const Project project = parseProject(document, folder);
  const std::size_t interfaces = buildPartition(project).interface.size();
  if (!(command.answer_s > 0.0)) throw InputError("--wait", "must be greater than 0.");
  ConformSpec spec;
  spec.address = parseAddress(command.address, "ADDRESS");
  spec.serial = project.rig.connection.serial;
  spec.answer_s = command.answer_s;
  spec.channels = deviceChannels(projectChannels(project, interfaces), project.loop.rate_hz);
  if (!command.key_file.empty()) spec.key = readKeyFile(command.key_file);

  const std::vector<ConformResult> results = conform(spec, command.rules, [&](const ConformResult& result) {
    if (command.json) return;
    print(format("%-10s %-14s %s", words(result.conformity), result.rule, result.says) +
          (result.detail.empty() ? "\n" : "\n" + std::string(26, ' ') + result.detail + "\n"));
  });
  const auto count = [&](Conformity conformity) {
    return std::count_if(results.begin(), results.end(),
                         [&](const ConformResult& result) { return result.conformity == conformity; });
  };
  const auto kept = count(Conformity::kept), broken = count(Conformity::broken);
  if (command.json) {
    Json list = Json::array();
    for (const ConformResult& result : results)
      list.push_back({{"rule", result.rule},
                      {"says", result.says},
                      {"result", result.conformity == Conformity::broken ? "broken" : words(result.conformity)},
                      {"detail", result.detail}});
    printJson({{"address", command.address}, {"conforms", broken == 0}, {"rules", list}});
  } else {
    print(std::to_string(kept) + " kept, " + std::to_string(broken) + " broken, " +
          std::to_string(count(Conformity::not_tried)) + " not tried\n");
  }
  return broken == 0 ? kDone : kStopped;
}

}  // namespace

void addConform(CommandLine& line) {
  addSubcommand<ConformCommand>(
      line, "conform", "Tries the rules of the rig protocol on a device, which it arms where it stands",
      [](CLI::App& command, ConformCommand& options) {
        command.add_option("ADDRESS", options.address, "tcp://HOST:PORT or serial:PATH of the device")->required();
        command.add_option("--project", options.project, "Project with the channels and the rate of the device")
            ->capture_default_str();
        command.add_option("--rule", options.rules, "Tries only this rule (may be repeated)")
            ->type_name("NAME")
            ->allow_extra_args(false);
        command.add_option("--key-file", options.key_file, "Key that the device shares with its benches")
            ->type_name("FILE");
        command.add_option("--wait", options.answer_s, "Longest wait for an answer, s")->capture_default_str();
        setOption(command, options.set);
        jsonFlag(command, options.json);
      },
      tryRules);
}

}  // namespace hyb::app
