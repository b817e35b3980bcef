#pragma once
#include <optional>
#include <string>
#include <vector>

namespace hyb::app {

struct ExportCommand {
  std::string file, output;
  std::string format;                 // empty: by the suffix of `output`
  std::vector<std::string> channels;  // empty: all
  std::optional<double> from_s, to_s, rate_hz;
  bool no_units = false;
  bool json = false;
};
/// `hybridbench export`: writes channels of a run file in a format of other programs. Exit code 3 with a warning if the
/// run is damaged.
int exportRun(const ExportCommand& command);

}  // namespace hyb::app
