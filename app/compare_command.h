#pragma once
#include <string>
#include <vector>

namespace hyb::app {

struct CompareCommand {
  std::string a, b;
  std::vector<std::string> channels;  // empty: all but the timing
  double absolute = 0.0, relative = 0.0, time_s = 0.0;
  bool json = false;
};
/// `hybridbench compare`: two runs channel by channel, and the settings in which their projects differ. Exit code 0:
/// all inside; 1: one is outside or not aligned; 3 with a warning if a run is damaged.
int compareRuns(const CompareCommand& command);

}  // namespace hyb::app
