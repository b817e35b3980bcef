#include "app/export_command.h"
#include "app/command_line.h"
#include "app/commands.h"

#include <chrono>
#include <limits>

#include "app/console.h"
#include "app/verify_command.h"
#include "core/data/resample.h"
#include "core/exchange/format.h"
#include "core/record/run_table.h"

namespace hyb::app {

Table runTable(const std::string& file, const std::optional<double>& from_s, const std::optional<double>& to_s) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Table table = tableOf(std::make_shared<const RunFileReader>(file));
  return from_s || to_s ? stretch(std::move(table), from_s.value_or(-kInfinity), to_s.value_or(kInfinity)) : table;
}

const ExchangeFormat& outputFormat(const std::string& name, const std::string& output, const std::string& file) {
  const ExchangeFormat& format = exchangeFormat(name, output);
  std::error_code error;
  if (std::filesystem::equivalent(file, output, error))
    throw InputError("-o", "is the run file itself; give another file.");
  return format;
}

void writeTable(const Table& table, const std::string& output, const ExchangeFormat& format, bool no_units) {
  Progress bar;
  const auto begun = std::chrono::steady_clock::now();
  exportTable(table, output, format, {!no_units}, [&](double share) {
    if (std::chrono::steady_clock::now() - begun > std::chrono::seconds(1))
      bar.show(share, "writing " + std::filesystem::path(output).filename().string());
    return true;
  });
}

std::vector<std::string> formatNames() {
  std::vector<std::string> names;
  for (const ExchangeFormat& one : exchangeFormats())
    if (one.write != nullptr) names.emplace_back(one.name);
  return names;
}

namespace {

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
int exportRun(const ExportCommand& command) {
  const ExchangeFormat& format = outputFormat(command.format, command.output, command.file);
  const Integrity integrity = checkedFile(command.file);
  Table table = runTable(command.file, command.from_s, command.to_s);
  if (!command.channels.empty()) table = chosen(std::move(table), command.channels);
  if (command.rate_hz) table = resampled(std::move(table), *command.rate_hz);
  writeTable(table, command.output, format, command.no_units);
  if (command.json) {
    Json report = {{"file", command.output}, {"format", format.name},    {"channels", table.channels.size()},
                   {"rows", table.rows},     {"rate_hz", table.rate_hz}, {"start_s", table.start_s}};
    addIntegrity(report, integrity);
    printJson(report);
  } else {
    print(command.output + app::format(": %s, channels: %zu, %llu rows at %g Hz from %g s\n",
                                       std::string(format.title).c_str(), table.channels.size(),
                                       static_cast<unsigned long long>(table.rows), table.rate_hz, table.start_s));
  }
  return integrity.sound() ? kDone : kDeviceError;
}

}  // namespace

void addExport(CommandLine& line) {
  addSubcommand<ExportCommand>(
      line, "export", "Writes channels of a run for other programs",
      [](CLI::App& command, ExportCommand& options) {
        command.add_option("RUN", options.file, "Run file")->required();
        command.add_option("-o,--output", options.output, "File to write: .csv, .mat, .uff, .npz or .h5")->required();
        command.add_option("--format", options.format, "Format; by the ending of the file if left out")
            ->check(CLI::IsMember(formatNames()));
        command.add_option("--channels", options.channels, "Channels, separated by commas; all if left out")
            ->type_name("NAME,...")
            ->delimiter(',');
        command.add_option("--from", options.from_s, "First time in s; the start of the run if left out");
        command.add_option("--to", options.to_s, "Time in s at which it ends; the end of the run if left out");
        command.add_option("--rate", options.rate_hz,
                           "Rate in Hz, behind an anti-alias filter; that of the run if left out");
        command.add_flag("--no-units", options.no_units, "CSV without the line of units");
        jsonFlag(command, options.json);
      },
      exportRun);
}

}  // namespace hyb::app
