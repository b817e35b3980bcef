#include "app/export_command.h"

#include <chrono>
#include <limits>

#include "app/console.h"
#include "app/verify_command.h"
#include "core/data/resample.h"
#include "core/exchange/format.h"
#include "core/record/run_table.h"

namespace hyb::app {

int exportRun(const ExportCommand& command) {
  namespace fs = std::filesystem;
  const ExchangeFormat& format = exchangeFormat(command.format, command.output);
  std::error_code error;
  if (fs::equivalent(command.file, command.output, error))
    throw InputError("-o", "is the run file itself; give another file.");
  const Integrity integrity = checkedFile(command.file);
  Table table = tableOf(std::make_shared<const RunFileReader>(command.file));
  if (!command.channels.empty()) table = chosen(std::move(table), command.channels);
  if (command.from_s || command.to_s)
    table = stretch(std::move(table), command.from_s.value_or(-std::numeric_limits<double>::infinity()),
                    command.to_s.value_or(std::numeric_limits<double>::infinity()));
  if (command.rate_hz) table = resampled(std::move(table), *command.rate_hz);
  {
    Progress bar;
    const auto begun = std::chrono::steady_clock::now();
    exportTable(table, command.output, format, {!command.no_units}, [&](double share) {
      if (std::chrono::steady_clock::now() - begun > std::chrono::seconds(1))
        bar.show(share, "writing " + fs::path(command.output).filename().string());
      return true;
    });
  }
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
