#include "app/export_command.h"

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

}  // namespace hyb::app
