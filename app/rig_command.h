#pragma once
#include <optional>
#include <string>
#include <vector>

namespace hyb::app {

/// `hybridbench rig`: serves a project's twin as hardware until Ctrl-C.
struct RigCommand {
  std::string project, listen = "tcp://127.0.0.1:0";
  std::vector<std::string> set;
  std::string key_file, new_key;
  bool trust_network = false;
  std::optional<double> max_step, max_speed;  // of commands, SI; none: from the project
  bool json = false;
};
int serveRig(const RigCommand& command);

}  // namespace hyb::app
