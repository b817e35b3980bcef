#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hyb::app {

struct AnalyseCommand {
  std::string file;
  std::map<std::string, std::vector<std::string>> channels;  // by the name of the analysis; empty: not asked for
  std::map<std::string, std::string> settings;               // by the name of the option; empty: default
  std::optional<double> from_s, to_s;
  std::string output, format;  // empty: no file; by its ending
  bool no_units = false;
  bool json = false;
};
/// `hybridbench analyse`: one of the analyses of core/analysis, as a short table, as a file of curves or as JSON. Exit
/// code 3 with a warning if the run is damaged.
int analyseRun(const AnalyseCommand& command);

}  // namespace hyb::app
