#pragma once
#include <string>
#include <vector>

namespace hyb::app {

struct ReplayCommand {
  std::string file, output;  // output empty: nothing is recorded
  std::string folder;        // base of the project's relative files; empty: beside the run file
  std::vector<std::string> set;
  bool json = false;
};
/// `hybridbench replay`: exit code 1 if a command differs.
int replayRun(const ReplayCommand& command);

}  // namespace hyb::app
