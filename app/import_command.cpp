#include <algorithm>
#include <charconv>
#include <fstream>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/console.h"
#include "core/base/figure_text.h"
#include "core/base/file_bytes.h"
#include "core/base/unit.h"
#include "core/base/words.h"
#include "core/exchange/import.h"
#include "core/project/project.h"

namespace hyb::app {
namespace {

struct ImportCommand {
  std::string file, output;           // empty output: preview
  std::string format;                 // empty: by content and suffix
  std::size_t table = 1;              // from 1
  std::vector<std::string> channels;  // "target_1=Command"; empty: all columns
  std::vector<std::string> units;     // "Command=mm"
  std::vector<std::string> inverted;  // columns
  std::string time;                   // column; empty: the suggested one
  std::optional<double> rate_hz;
  std::string project, title, operator_name;
  bool json = false;
};

/// A column by its name, or by its number from 1.
std::size_t columnOf(const Table& table, const std::string& option, const std::string& text) {
  if (const std::optional<std::size_t> place = find(table, text)) return *place;
  std::size_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() && number >= 1 &&
      number <= table.channels.size())
    return number - 1;
  std::vector<std::string> known;
  for (const Channel& channel : table.channels) known.push_back(channel.name);
  std::string all;
  for (const std::string& one : known) all += (all.empty() ? "" : ", ") + one;
  throw InputError(option + " " + text, "is no column of the table. " + hint(text, known) + "Columns: " + all + ".");
}

std::pair<std::string, std::string> splitAt(const std::string& option, const std::string& text, std::size_t equals,
                                            const char* rule) {
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw InputError(option + " " + text, rule);
  return {text.substr(0, equals), text.substr(equals + 1)};
}

ImportPlan planOf(const ImportCommand& command, const ForeignFile& file) {
  ImportPlan plan = suggestedPlan(file, command.table - 1);
  const Table& table = file.tables[plan.table];
  if (!command.time.empty()) {
    const std::size_t time = columnOf(table, "--time", command.time);
    if (time != plan.time) {
      plan = suggestedPlan(file, plan.table);
      if (plan.time) plan.channels.push_back({*plan.time, "former_time", plan.time_unit, false});
      plan.time = time;
      plan.time_unit = table.channels[time].units.empty() ? "s" : table.channels[time].units;
      std::erase_if(plan.channels, [&](const ImportedChannel& one) { return one.column == time; });
    }
  } else if (command.rate_hz && plan.time) {  // the rate is stated in place of the times
    plan.time.reset();
  }
  plan.rate_hz = command.rate_hz;
  if (!command.channels.empty()) {
    plan.channels.clear();
    for (const std::string& text : command.channels) {
      const auto [name, column] = splitAt("--channel", text, text.find('='), "is not NAME=COLUMN.");
      const std::size_t place = columnOf(table, "--channel", column);
      plan.channels.push_back({place, name, table.channels[place].units, false});
    }
  }
  for (const std::string& text : command.units) {
    const auto [column, unit] = splitAt("--unit", text, text.rfind('='), "is not COLUMN=UNIT.");
    const std::size_t place = columnOf(table, "--unit", column);
    if (!siUnit(unit)) throw InputError("--unit " + text, "is no known unit; give one such as mm, kN, m/s2 or g.");
    if (place == plan.time) plan.time_unit = unit;
    for (ImportedChannel& one : plan.channels)
      if (one.column == place) one.unit = unit;
  }
  for (const std::string& column : command.inverted) {
    const std::size_t place = columnOf(table, "--invert", column);
    for (ImportedChannel& one : plan.channels)
      if (one.column == place) one.inverted = true;
  }
  return plan;
}

std::string baseText(const Table& table, const ImportPlan& plan) {
  if (plan.time) return "times in column \"" + table.channels[*plan.time].name + "\" (" + plan.time_unit + ")";
  const double rate = plan.rate_hz.value_or(table.rate_hz);
  return rate > 0.0 ? figureText(rate, 7) + " Hz" : std::string("no times: give --time or --rate");
}

/// Tables and columns of the file, and what they would become.
int preview(const ForeignFile& file, const ImportPlan& plan, bool json) {
  const Table& table = file.tables[plan.table];
  if (json) {
    Json tables = Json::array();
    for (std::size_t t = 0; t < file.tables.size(); ++t) {
      Json columns = Json::array();
      for (const Channel& channel : file.tables[t].channels)
        columns.push_back({{"name", channel.name}, {"unit", channel.units}});
      tables.push_back({{"title", file.tables[t].title},
                        {"rows", file.tables[t].rows},
                        {"rate_hz", file.tables[t].rate_hz},
                        {"columns", columns}});
    }
    Json channels = Json::array();
    for (const ImportedChannel& one : plan.channels)
      channels.push_back({{"name", one.name}, {"column", table.channels[one.column].name}, {"unit", one.unit}});
    printJson({{"tables", tables}, {"table", plan.table + 1}, {"channels", channels}, {"notes", file.notes}});
    return kDone;
  }
  std::string text;
  for (std::size_t t = 0; t < file.tables.size(); ++t) {
    const Table& one = file.tables[t];
    text += (t == plan.table ? "* " : "  ") + std::string("table ") + std::to_string(t + 1) +
            (one.title.empty() ? "" : ", \"" + one.title + "\"") + ": columns: " + std::to_string(one.channels.size()) +
            ", rows: " + std::to_string(one.rows) + "\n";
  }
  text += "Time: " + baseText(table, plan) + "\n";
  std::vector<std::vector<std::string>> lines{{"column", "unit", "becomes", "in"}};
  for (const ImportedChannel& one : plan.channels) {
    const std::optional<SiUnit> unit = siUnit(one.unit);
    lines.push_back({table.channels[one.column].name, one.unit.empty() ? "-" : one.unit,
                     (one.inverted ? "- " : "") + one.name,
                     !unit                ? "?"
                     : unit->name.empty() ? "-"
                                          : unit->name});
  }
  text += columnsText(lines);
  print(text);
  for (const std::string& note : file.notes) app::note(note);
  app::note(
      "Nothing was written. Give -o RUN.h5 to import, and --channel, --unit or --invert to change what is shown.");
  return kDone;
}

/// `hybridbench import`: shows a record of another program, or writes it as a run file.
int importRecord(const ImportCommand& command) {
  const ForeignFile file = readForeign(command.file, command.format);
  const ImportPlan plan = planOf(command, file);
  if (command.output.empty()) return preview(file, plan, command.json);
  ImportOrigin origin{command.file, command.title, command.operator_name, {}, {}};
  if (!command.project.empty()) {
    const std::optional<std::string> project = bytesOf(command.project);
    if (!project) throw InputError("--project " + command.project, "cannot be read.");
    origin.project_json = *project;
    origin.project_folder = std::filesystem::absolute(command.project).parent_path();
  }
  ImportedRecord record = imported(file, plan);
  record.notes.insert(record.notes.begin(), file.notes.begin(), file.notes.end());
  if (record.table.title.empty() && origin.title.empty())
    origin.title = std::filesystem::path(command.file).stem().string();
  writeImported(record, origin, command.output);
  for (const std::string& one : record.notes) note(one);
  if (command.json) {
    Json channels = Json::array();
    for (const Channel& channel : record.table.channels)
      channels.push_back({{"name", channel.name}, {"unit", channel.units}});
    printJson({{"file", command.output},
               {"rows", record.table.rows},
               {"rate_hz", record.table.rate_hz},
               {"channels", channels},
               {"notes", record.notes}});
  } else {
    print(command.output + ": imported, channels: " + std::to_string(record.table.channels.size()) + ", " +
          std::to_string(record.table.rows) + " rows at " + figureText(record.table.rate_hz, 7) + " Hz\n");
  }
  return kDone;
}

std::vector<std::string> readableFormats() {
  std::vector<std::string> names;
  for (const ExchangeFormat& one : exchangeFormats())
    if (one.read != nullptr) names.emplace_back(one.name);
  return names;
}

}  // namespace

void addImport(CommandLine& line) {
  addSubcommand<ImportCommand>(
      line, "import", "Makes a run file of a record of another program",
      [](CLI::App& command, ImportCommand& options) {
        command.add_option("FILE", options.file, "CSV, MATLAB, HDF5, universal file, TDMS or NumPy archive")
            ->required();
        command.add_option("-o,--output", options.output, "Run file to write; left out, the columns are shown");
        command.add_option("--format", options.format, "Format; by content and ending of the file if left out")
            ->check(CLI::IsMember(readableFormats()));
        command.add_option("--table", options.table, "Number of the table in the file, from 1")
            ->check(wholeNumber(1, 1'000'000));
        command.add_option("--channel", options.channels, "Channel of the run file and its column; all if left out")
            ->type_name("NAME=COLUMN");
        command.add_option("--unit", options.units, "Unit of a column, if the file does not tell it or is wrong")
            ->type_name("COLUMN=UNIT");
        command.add_option("--invert", options.inverted, "Column that is positive in the other direction")
            ->type_name("COLUMN");
        command.add_option("--time", options.time, "Column with the times")->type_name("COLUMN");
        command.add_option("--rate", options.rate_hz, "Rate in Hz, in place of times");
        command.add_option("--project", options.project, "Project of the test; figures need it")->type_name("FILE");
        command.add_option("--title", options.title, "Title; that of the file if left out");
        command.add_option("--operator", options.operator_name, "Who ran the test");
        jsonFlag(command, options.json);
      },
      importRecord);
}

}  // namespace hyb::app
