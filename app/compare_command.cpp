#include <algorithm>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/verify_command.h"
#include "core/analysis/compare.h"
#include "core/base/figure_text.h"
#include "core/project/differences.h"
#include "core/project/schema.h"
#include "core/record/run_table.h"

namespace hyb::app {
namespace {

struct CompareCommand {
  std::string a, b;
  std::vector<std::string> channels;  // empty: all but the timing
  double absolute = 0.0, relative = 0.0, time_s = 0.0;
  bool json = false;
};

using Outcome = ChannelComparison::Outcome;

/// Channels of the record without the timing of the computer, which is never the same twice.
std::vector<std::string> comparedByDefault(const std::vector<const RunFileReader*>& runs,
                                           const std::vector<Table>& tables) {
  std::vector<std::string> names;
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (const Channel& channel : tables[r].channels) {
      const std::vector<std::string>& columns = runs[r]->info().row_columns;
      const bool timing = std::ranges::find(columns, "timing/" + channel.name) != columns.end();
      if (!timing && std::ranges::find(names, channel.name) == names.end()) names.push_back(channel.name);
    }
  return names;
}

/// The project of a run in the present version; null if this program cannot read it.
Json projectOf(const RunFileReader& run) {
  Json project = Json::parse(run.projectJson(), nullptr, false);
  try {
    if (!project.is_discarded()) migrate(project);
  } catch (const InputError&) {
    return nullptr;
  }
  return project.is_discarded() ? Json() : project;
}

std::string withUnit(double value, const std::string& unit) {
  return figureText(value, 5) + (unit.empty() || unit == "1" ? "" : " " + unit);
}

std::string channelText(const ChannelComparison& one) {
  std::string text = format("%-24s %-12s ", one.name.c_str(), std::string(name(one.outcome)).c_str());
  if (one.outcome == Outcome::not_aligned) return text + one.why + "\n";
  text += "largest difference " + withUnit(one.largest, one.units);
  if (one.largest > 0.0) text += " at " + figureText(one.largest_at_s, 6) + " s";
  text += ", tolerance " + withUnit(one.tolerance, one.units);
  if (one.outcome == Outcome::outside)
    text += format("; first outside at %s s: %.9g and %.9g; rows outside: %llu of %llu",
                   figureText(one.first_at_s, 6).c_str(), one.first_a, one.first_b,
                   static_cast<unsigned long long>(one.outside_rows), static_cast<unsigned long long>(one.rows));
  if (one.missing_in_one > 0)
    text += format("; rows that only one run has: %llu", static_cast<unsigned long long>(one.missing_in_one));
  return text + "\n";
}

std::string settingText(const Json& value, const std::string& unit) {
  if (value.is_null()) return "not given";
  constexpr std::size_t kLongest = 60;
  std::string text = value.is_string()   ? value.get<std::string>()
                     : value.is_number() ? numberText(value.get<double>())
                                         : value.dump();
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return value.is_number() && !unit.empty() ? text + " " + unit : text;
}

Json channelJson(const ChannelComparison& one) {
  Json report = {{"name", one.name},
                 {"unit", one.units},
                 {"outcome", name(one.outcome)},
                 {"why", one.why},
                 {"tolerance", one.tolerance},
                 {"largest", one.largest},
                 {"largest_at_s", one.largest_at_s},
                 {"rows", one.rows},
                 {"rows_outside", one.outside_rows},
                 {"rows_missing_in_one", one.missing_in_one},
                 {"first_outside", nullptr}};
  if (one.outcome == Outcome::outside)
    report["first_outside"] = {{"time_s", one.first_at_s}, {"a", one.first_a}, {"b", one.first_b}};
  return report;
}

/// `hybridbench compare`: two runs channel by channel, and the settings in which their projects differ. Exit code 0:
/// all inside; 1: one is outside or not aligned; 3 with a warning if a run is damaged.
int compareRuns(const CompareCommand& command) {
  const Integrity first = checkedFile(command.a), second = checkedFile(command.b);
  const auto a = std::make_shared<const RunFileReader>(command.a), b = std::make_shared<const RunFileReader>(command.b);
  const std::vector<Table> tables{tableOf(a), tableOf(b)};
  TableComparison comparison;
  try {
    comparison = compared(tables[0], tables[1], {command.absolute, command.relative, command.time_s},
                          command.channels.empty() ? comparedByDefault({a.get(), b.get()}, tables) : command.channels);
  } catch (const InputError& error) {
    std::vector<Issue> issues = error.issues();
    for (Issue& issue : issues)
      if (issue.where.starts_with("tolerance-")) issue.where = "--" + issue.where;
    throw InputError(std::move(issues));
  }
  const Json project_a = projectOf(*a), project_b = projectOf(*b);
  const bool known = project_a.is_object() && project_b.is_object();
  const std::vector<ProjectDifference> settings =
      known ? differences(project_a, project_b) : std::vector<ProjectDifference>();
  if (command.json) {
    Json report = {{"a", command.a},
                   {"b", command.b},
                   {"inside", comparison.inside()},
                   {"channels", Json::array()},
                   {"settings", known ? Json::array() : Json()}};
    for (const ChannelComparison& one : comparison.channels) report["channels"].push_back(channelJson(one));
    for (const ProjectDifference& one : settings)
      report["settings"].push_back(
          {{"place", one.place}, {"pointer", one.pointer}, {"unit", one.unit}, {"a", one.a}, {"b", one.b}});
    addIntegrity(report, first.state == Integrity::State::whole ? second : first);
    printJson(report);
  } else {
    std::string text;
    std::array<std::size_t, 3> counts{};
    for (const ChannelComparison& one : comparison.channels) {
      text += channelText(one);
      ++counts[static_cast<std::size_t>(one.outcome)];
    }
    text += format("\nChannels: %zu inside, %zu outside, %zu not aligned.\n", counts[0], counts[1], counts[2]);
    if (!known) text += "\nThe settings are not compared, because a project cannot be read by this version.\n";
    if (!settings.empty()) text += "\nSettings that differ:\n";
    for (const ProjectDifference& one : settings)
      text += "  " + one.place + ": " + settingText(one.a, one.unit) + " -> " + settingText(one.b, one.unit) + " (" +
              one.pointer + ")\n";
    print(text);
  }
  if (!first.sound() || !second.sound()) return kDeviceError;
  return comparison.inside() ? kDone : kStopped;
}

}  // namespace

void addCompare(CommandLine& line) {
  addSubcommand<CompareCommand>(
      line, "compare", "Compares two runs channel by channel; exit code 1 if one is not inside",
      [](CLI::App& command, CompareCommand& options) {
        command.add_option("A", options.a, "Run file, the reference")->required();
        command.add_option("B", options.b, "Run file")->required();
        command.add_option("--tolerance-absolute", options.absolute, "Allowed difference in the unit of the channel")
            ->capture_default_str();
        command
            .add_option("--tolerance-relative", options.relative,
                        "Allowed difference as a share of the largest magnitude of the channel in A: 0.01 for 1 %")
            ->capture_default_str();
        command.add_option("--tolerance-time", options.time_s, "Time in s that a value may come earlier or later")
            ->capture_default_str();
        command
            .add_option("--channels", options.channels, "Channels, separated by commas; all but the timing if left out")
            ->type_name("NAME,...")
            ->delimiter(',');
        jsonFlag(command, options.json);
      },
      compareRuns);
}

}  // namespace hyb::app
