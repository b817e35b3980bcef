#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/exchange/format.h"

namespace hyb::app {

/// The rows of a run file from one time to before another; all where none is given. Throws as tableOf() and stretch().
Table runTable(const std::string& file, const std::optional<double>& from_s, const std::optional<double>& to_s);

/// The format for an output beside the run file. Throws InputError: unknown, or the output is the run file itself.
const ExchangeFormat& outputFormat(const std::string& name, const std::string& output, const std::string& file);

/// Names of the formats, for --format.
std::vector<std::string> formatNames();

/// Writes a table, with a bar after one second.
void writeTable(const Table& table, const std::string& output, const ExchangeFormat& format, bool no_units);

}  // namespace hyb::app
