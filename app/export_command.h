#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/exchange/format.h"

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

/// The rows of a run file from one time to before another; all where none is given. Throws as tableOf() and stretch().
Table runTable(const std::string& file, const std::optional<double>& from_s, const std::optional<double>& to_s);

/// The format for an output beside the run file. Throws InputError: unknown, or the output is the run file itself.
const ExchangeFormat& outputFormat(const std::string& name, const std::string& output, const std::string& file);

/// Writes a table, with a bar after one second.
void writeTable(const Table& table, const std::string& output, const ExchangeFormat& format, bool no_units);

}  // namespace hyb::app
