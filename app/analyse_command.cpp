#include <algorithm>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/export_command.h"
#include "app/verify_command.h"
#include "core/analysis/analysis.h"
#include "core/base/figure_text.h"

namespace hyb::app {
namespace {

struct AnalyseCommand {
  std::string file;
  std::map<std::string, std::vector<std::string>> channels;  // by the name of the analysis; empty: not asked for
  std::map<std::string, std::string> settings;               // by the name of the option; empty: default
  std::optional<double> from_s, to_s;
  std::string output, format;  // empty: no file; by its ending
  bool no_units = false;
  bool json = false;
};

/// The one analysis that the command line asks for.
const Analysis& askedFor(const AnalyseCommand& command) {
  const Analysis* asked = nullptr;
  std::string all;
  for (const Analysis* one : analyses()) {
    all += (all.empty() ? "--" : ", --") + std::string(one->name);
    const auto channels = command.channels.find(std::string(one->name));
    if (channels == command.channels.end() || channels->second.empty()) continue;
    if (asked != nullptr)
      throw InputError("--" + std::string(one->name),
                       "is given beside --" + std::string(asked->name) + "; ask for one analysis in a call.");
    asked = one;
  }
  if (asked == nullptr) throw InputError("analyse", "needs an analysis with its channels; give one of: " + all + ".");
  return *asked;
}

/// Options and analyses have their dashes on the command line.
std::vector<Issue> withDashes(std::vector<Issue> issues) {
  for (Issue& issue : issues)
    for (const Analysis* one : analyses())
      if (issue.where == one->name || std::ranges::any_of(one->options, [&](const AnalysisOption* option) {
            return option->name == issue.where;
          })) {
        issue.where = "--" + issue.where;
        break;
      }
  return issues;
}

std::string unitOr(const std::string& unit) { return unit == "1" ? "-" : unit; }

/// The marked places of a channel, with the values of all its curves.
std::string marksText(const AnalysisResult& result, const std::string& channel) {
  std::vector<std::vector<std::string>> lines(2);
  lines[0].push_back(result.x.quantity);
  lines[1].push_back(unitOr(result.x.unit));
  for (const ResultCurve& curve : result.curves)
    if (curve.channel == channel) {
      lines[0].push_back(curve.quantity);
      lines[1].push_back(unitOr(curve.unit));
    }
  for (const ResultMark& mark : result.marks) {
    if (mark.channel != channel) continue;
    lines.push_back({figureText(result.x.values[mark.at], 6)});
    for (const ResultCurve& curve : result.curves)
      if (curve.channel == channel)
        lines.back().push_back(std::isfinite(curve.values[mark.at]) ? figureText(curve.values[mark.at], 4) : "-");
  }
  return lines.size() > 2 ? channel + "\n" + columnsText(lines) + "\n" : std::string();
}

std::string resultText(const AnalysisResult& result, const Table& table, const std::string& file) {
  std::string text = result.title + "\n" + file +
                     format(": %s s to %s s, %llu rows at %s Hz\n\n", figureText(table.start_s, 6).c_str(),
                            figureText(table.time_s(table.rows), 6).c_str(),
                            static_cast<unsigned long long>(table.rows), figureText(table.rate_hz, 6).c_str());
  std::vector<std::string> shown;
  for (const ResultMark& mark : result.marks)
    if (std::ranges::find(shown, mark.channel) == shown.end()) {
      shown.push_back(mark.channel);
      text += marksText(result, mark.channel);
    }
  std::size_t widest = 0;
  for (const ResultNumber& number : result.numbers) widest = std::max(widest, number.title.size());
  for (const ResultNumber& number : result.numbers)
    text += number.title + std::string(widest + 2 - number.title.size(), ' ') + figureText(number.value, 5) +
            (number.unit.empty() || number.unit == "1" ? "" : " " + number.unit) + "\n";
  text += "\n";
  for (const std::string& remark : result.notes) text += remark + "\n";
  return text;
}

Json axisJson(const ResultAxis& axis) {
  return {{"quantity", axis.quantity}, {"unit", axis.unit}, {"values", axis.values}};
}

Json resultJson(const AnalysisResult& result) {
  Json report = {
      {"analysis", result.analysis}, {"title", result.title},  {"x", axisJson(result.x)}, {"curves", Json::array()},
      {"numbers", Json::object()},   {"marks", Json::array()}, {"notes", result.notes},   {"map", nullptr}};
  for (const ResultCurve& curve : result.curves)
    report["curves"].push_back({{"name", curve.name},
                                {"channel", curve.channel},
                                {"quantity", curve.quantity},
                                {"unit", curve.unit},
                                {"values", curve.values}});
  for (const ResultNumber& number : result.numbers)
    report["numbers"][number.name] = {{"title", number.title}, {"value", number.value}, {"unit", number.unit}};
  for (const ResultMark& mark : result.marks)
    report["marks"].push_back({{"channel", mark.channel}, {"at", mark.at}, {"x", result.x.values[mark.at]}});
  if (result.map)
    report["map"] = {{"name", result.map->name},
                     {"quantity", result.map->quantity},
                     {"unit", result.map->unit},
                     {"y", axisJson(result.map->y)},
                     {"values", result.map->values}};
  return report;
}

/// `hybridbench analyse`: one of the analyses of core/analysis, as a short table, as a file of curves or as JSON. Exit
/// code 3 with a warning if the run is damaged.
int analyseRun(const AnalyseCommand& command) {
  const Analysis& asked = askedFor(command);
  const ExchangeFormat* format =
      command.output.empty() ? nullptr : &outputFormat(command.format, command.output, command.file);
  const Integrity integrity = checkedFile(command.file);
  const Table table = runTable(command.file, command.from_s, command.to_s);
  AnalysisResult result;
  try {
    result = analyse(table, asked, command.channels.at(std::string(asked.name)), command.settings);
  } catch (const InputError& error) {
    throw InputError(withDashes(error.issues()));
  }
  if (format != nullptr) {
    Table curves = tableOf(result);
    curves.facts.emplace_back("run", std::filesystem::path(command.file).filename().string());
    writeTable(curves, command.output, *format, command.no_units);
  }
  if (command.json) {
    Json report = resultJson(result);
    report["file"] = command.file;
    report["output"] = command.output;
    addIntegrity(report, integrity);
    printJson(report);
  } else {
    print(resultText(result, table, command.file) + (format == nullptr ? "" : "\n" + command.output + "\n"));
  }
  return integrity.sound() ? kDone : kDeviceError;
}

/// Adds an option for each analysis, and one for each of their settings.
void addAnalyses(CLI::App& command, AnalyseCommand& options) {
  const auto channelsOf = [](AnalysisInputs inputs) {
    return inputs == AnalysisInputs::one    ? "CHANNEL"
           : inputs == AnalysisInputs::each ? "CHANNEL,..."
                                            : "INPUT,OUTPUT,...";
  };
  std::map<std::string, std::pair<const AnalysisOption*, std::string>> settings;  // and the analyses that have it
  std::vector<std::string> order;
  for (const Analysis* one : analyses()) {
    const std::string name(one->name);
    command.add_option("--" + name, options.channels[name], std::string(one->description))
        ->type_name(channelsOf(one->inputs))
        ->delimiter(',')
        ->allow_extra_args(false)
        ->group("Analyses");
    for (const AnalysisOption* option : one->options) {
      auto& [first, users] = settings[std::string(option->name)];
      if (first == nullptr) {
        first = option;
        order.emplace_back(option->name);
      }
      users += (users.empty() ? "" : ", ") + name;
    }
  }
  for (const std::string& name : order) {
    const auto& [option, users] = settings.at(name);
    std::string text(option->description);
    if (!option->unit.empty()) text += ", in " + std::string(option->unit);
    if (!option->usual.empty()) text += "; default: " + std::string(option->usual);
    command.add_option("--" + name, options.settings[name], text + ". For " + users)
        ->type_name(option->words.empty() ? "NUMBER" : "WORD")
        ->group("Settings");
  }
}

}  // namespace

void addAnalyse(CommandLine& line) {
  addSubcommand<AnalyseCommand>(
      line, "analyse", "Analyses channels of a run: spectrum, frequency response, filters",
      [](CLI::App& command, AnalyseCommand& options) {
        command.add_option("RUN", options.file, "Run file")->required();
        addAnalyses(command, options);
        command.add_option("--from", options.from_s, "First time in s; the start of the run if left out");
        command.add_option("--to", options.to_s, "Time in s at which it ends; the end of the run if left out");
        command.add_option("-o,--output", options.output,
                           "File for the whole curves: .csv, .mat, .npz or .h5; .uff for results over time");
        command.add_option("--format", options.format, "Format; by the ending of the file if left out")
            ->check(CLI::IsMember(formatNames()));
        command.add_flag("--no-units", options.no_units, "CSV without the line of units");
        jsonFlag(command, options.json);
      },
      analyseRun);
}

}  // namespace hyb::app
