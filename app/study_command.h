#pragma once
#include <string>

namespace hyb::app {

struct StudyCommand {
  std::string study, output;  // output empty: "<study>.h5" in the current folder
  std::string runs;           // FACE: folder for one run file per test; empty: no run files
  unsigned jobs = 0;          // 0: one per core
  bool real_time = false;     // same as "pace": "real-time"
  bool json = false;
};
/// `hybridbench study`, including FACE campaigns: exit code 1 if it was cancelled and can be resumed.
int runStudyCommand(const StudyCommand& command);

}  // namespace hyb::app
