#pragma once
#include <string>

namespace hyb::app {

struct StudyCommand {
  std::string study, output;  // output empty: "<study>.h5" in the current folder
  std::string runs;           // FACE: folder for one run file per test; empty: none is kept
  unsigned jobs = 0;          // 0: one per core
  bool real_time = false;     // as "pace": "real-time"
  bool json = false;
};
/// `hybridbench study`, FACE campaigns among them: exit code 1 when it was cancelled and can be taken up again.
int runStudyCommand(const StudyCommand& command);

}  // namespace hyb::app
