#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/verify_command.h"
#include "core/assess/adopt_model.h"
#include "core/assess/identification.h"
#include "core/base/figure_text.h"
#include "core/base/numbers.h"
#include "core/identification/simulate.h"

namespace hyb::app {

namespace {

struct IdentifyCommand {
  std::vector<std::string> files;
  std::string input, output;        // channels; empty: command and measured motion of interface 1
  std::string order;                // "3" or "3,1"; empty: proposed
  std::optional<int> poles, zeros;  // instead of order
  std::string delay = "auto";       // or seconds
  std::string band;                 // "0.1:20", Hz; empty: the band with input power
  std::string hold;                 // "step", "line"; empty: derived from the input
  std::optional<double> segment_s;
  std::string from, to;  // part of the run in s; empty: all of it. A name is taken for a channel, as in version 0.9
  std::optional<int> trial;
  std::string write;  // project to write the model to; empty: none
  bool json = false;
};

/// Parses all of `text` with `pattern`, which ends in %n.
template <typename... Values>
bool readAll(const std::string& text, const char* pattern, Values*... values) {
  int read = 0;
  const int count = std::sscanf(text.c_str(), pattern, values..., &read);  // NOLINT: a fixed pattern
  return count == static_cast<int>(sizeof...(values)) && text.size() == static_cast<std::size_t>(read);
}

[[noreturn]] void refuse(const char* option, const std::string& text, const char* rule) {
  throw InputError(std::string(option) + " " + text.substr(0, 80), rule);
}

/// A time in s. In version 0.9 these options named the channels, so a name still does.
void takeTime(const char* option, const std::string& text, std::optional<double>& time_s, std::string& channel) {
  if (text.empty()) return;
  double value = 0.0;
  if (readAll(text, "%lf%n", &value) && std::isfinite(value))
    time_s = value;
  else if (channel.empty() && std::isalpha(static_cast<unsigned char>(text.front())) != 0)
    channel = text;
  else
    refuse(option, text, "is not a time; give seconds, for example 12.5.");
}

IdentifyRun askedBy(const IdentifyCommand& command) {
  IdentifyRun asked;
  asked.input = command.input;
  asked.output = command.output;
  if (!command.hold.empty()) asked.hold = command.hold == "step" ? Hold::step : Hold::line;
  asked.spec.poles = command.poles;
  if (command.zeros) asked.spec.zeros = *command.zeros;
  if (!command.order.empty()) {
    int poles = 0, zeros = 0;
    if (!readAll(command.order, "%d%n", &poles) && !readAll(command.order, "%d,%d%n", &poles, &zeros))
      refuse("--order", command.order, "is not an order; give POLES or POLES,ZEROS, for example 3 or 3,1.");
    asked.spec.poles = poles;
    asked.spec.zeros = zeros;
  }
  if (command.delay != "auto") {
    double delay_s = 0.0;
    if (!readAll(command.delay, "%lf%n", &delay_s))
      refuse("--delay", command.delay, "is not a delay; give seconds, for example 0.002, or auto.");
    asked.spec.delay_s = delay_s;
  }
  if (!command.band.empty()) {
    double from_hz = 0.0, to_hz = 0.0;
    if (!readAll(command.band, "%lf:%lf%n", &from_hz, &to_hz))
      refuse("--band", command.band, "is not a band; give FROM:TO in Hz, for example 0.1:20.");
    asked.spec.band_hz = {from_hz, to_hz};
  }
  asked.spec.segment_s = command.segment_s;
  takeTime("--from", command.from, asked.from_s, asked.input);
  takeTime("--to", command.to, asked.to_s, asked.output);
  asked.trial = command.trial;
  return asked;
}

constexpr std::array<std::string_view, 10> kOptions{"input",   "output", "band", "order", "delay",
                                                    "segment", "write",  "from", "to",    "trial"};
/// Replaces the core's field names by option names: "band" becomes --band.
std::vector<Issue> asOptions(std::vector<Issue> issues) {
  for (Issue& issue : issues)
    if (std::ranges::find(kOptions, issue.where) != kOptions.end()) issue.where = "--" + issue.where;
  return issues;
}

std::string linesTable(const Identification& found, double step_s, Hold hold) {
  constexpr std::size_t kMostRows = 25;
  const std::vector<ResponseLine>& lines = found.response.lines;
  const bool stepped = found.method == ResponseMethod::steps;
  std::string text = format("%10s %12s %10s %10s %12s", "Hz", "magnitude", "phase deg", "coherence", "95 % within");
  if (stepped) text += format(" %12s %8s", "scatter", "periods");
  text += format(" %12s\n", "model");
  const std::size_t stride = stepped ? 1 : std::max<std::size_t>(1, (lines.size() + kMostRows - 1) / kMostRows);
  for (std::size_t k = 0; k < lines.size(); k += stride) {
    const ResponseLine& line = lines[k];
    text += format("%10s %12.4g %10.2f %10.4f %12s", figureText(line.frequency_hz, 4).c_str(), std::abs(line.h1),
                   180.0 / kPi * std::arg(line.h1), line.coherence,
                   std::isfinite(line.radius) ? format("%.2g", line.radius).c_str() : "-");
    if (stepped) {
      const StepPhasors& phasors = found.phasors[k];
      text += format(" %12s %8zu", std::isfinite(phasors.scatter) ? format("%.2g", phasors.scatter).c_str() : "-",
                     phasors.periods.size());
    }
    if (found.model)
      text += format(" %12.4g", std::abs(sampledResponse(*found.model, line.frequency_hz, step_s, hold)));
    text += "\n";
  }
  if (stride > 1) text += format("one in %zu of %zu lines; --json prints all\n", stride, lines.size());
  return text;
}

std::string identificationText(const RunIdentification& identified) {
  const Identification& found = identified.found;
  const std::string segments = std::to_string(found.response.segments) + " " + std::string(name(found.method)) +
                               " of " +
                               quantityText(static_cast<double>(found.segments.length) / identified.rate_hz, "s");
  const std::string trial = identified.trial ? "trial " + std::to_string(*identified.trial) + ", " : "";
  std::string text = identified.input + " -> " + identified.output + ", " + trial + figureText(identified.from_s, 4) +
                     " to " + figureText(identified.to_s, 4) + " s, " +
                     (found.method == ResponseMethod::local   ? "the record as a whole"
                      : found.method == ResponseMethod::steps ? "stepped sine, single periods"
                                                              : segments) +
                     "\n\n" + linesTable(found, 1.0 / identified.rate_hz, identified.hold);
  for (const auto& [name, value] : modelFigures(found)) text += "\n" + format("%-16s ", name.c_str()) + value;
  if (found.model) text += "\n";
  for (const IdentificationFinding& finding : found.findings) text += "\n" + finding.sentence + "\n";
  return text;
}

/// Changes the project; without one, writes the project of the run into a new file.
AdoptedModel write(const RunIdentification& identified, const Json& of_run, const std::string& file) {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  Json project = of_run, older = of_run;
  if (std::filesystem::exists(file, error)) {
    project = loadDocument(file, &folder);
    std::ifstream stream(file);
    older = Json::parse(stream);
  } else {
    migrate(project);
  }
  AdoptedModel adopted = adoptModel(project, folder, identified);
  if (older.value("version", Json()) != project.at("version"))
    adopted.remarks.push_back("The project had version " + older.value("version", Json()).dump() +
                              " and is written as version " + project.at("version").dump() +
                              ": some settings have moved; tests are unchanged.");
  saveDocument(adopted.document, file);
  return adopted;
}

Json writtenJson(const AdoptedModel& adopted, const std::string& file) {
  Json written = {{"file", file}, {"changes", Json::array()}, {"remarks", adopted.remarks}};
  for (const ProjectChange& change : adopted.changes)
    written["changes"].push_back({{"pointer", change.pointer}, {"from", change.from}, {"to", change.to}});
  return written;
}

std::string writtenText(const AdoptedModel& adopted, const std::string& file) {
  std::string text = "\n" + file + (adopted.changes.empty() ? ": nothing changes\n" : ":\n");
  for (const ProjectChange& change : adopted.changes)
    text += "  " + change.pointer + ": " + (change.from.is_null() ? "new" : change.from.dump()) + " -> " +
            (change.to.is_null() ? "removed" : change.to.dump()) + "\n";
  for (const std::string& remark : adopted.remarks) text += remark + "\n";
  return text;
}

/// The same for several runs: one response of all their frequencies.
int identifyRunsCommand(const IdentifyCommand& command, const IdentifyRun& asked) {
  if (!command.write.empty()) throw InputError("--write", "needs one run, because no model is fitted to several runs.");
  std::vector<RunIdentification> all;
  Integrity worst;
  for (const std::string& name : command.files) {
    const Integrity integrity = checkedFile(name);
    if (integrity.damaged()) worst = integrity;
    const RunFileReader file(name);
    try {
      all.push_back(identifyRun(recordOf(file, projectFolder(file, name), integrity.damage), asked));
    } catch (const InputError& error) {
      std::vector<Issue> issues = asOptions(error.issues());
      for (Issue& issue : issues) issue.where = name + ": " + issue.where;
      throw InputError(std::move(issues));
    }
  }
  const RunIdentification together = joined(all);
  if (command.json) {
    Json report = identificationJson(together);
    report["runs"] = command.files;
    addIntegrity(report, worst);
    printJson(report);
  } else {
    print(std::to_string(all.size()) + " runs, " + identificationText(together));
  }
  return worst.damaged() ? kDeviceError : kDone;
}

/// `hybridbench identify`: frequency response and model of a recorded run.
int identifyRunCommand(const IdentifyCommand& command) {
  const IdentifyRun asked = askedBy(command);
  if (command.files.size() > 1) return identifyRunsCommand(command, asked);
  const std::string& name = command.files.front();
  const Integrity integrity = checkedFile(name);
  if (integrity.damaged() && !command.write.empty())
    throw DeviceError(name +
                      ": a model of a damaged run is not written into a project; omit --write to view the model");
  const RunFileReader file(name);
  const RunRecord run = recordOf(file, projectFolder(file, name), integrity.damage);
  try {
    const RunIdentification identified = identifyRun(run, asked);
    std::optional<AdoptedModel> adopted;
    if (!command.write.empty()) adopted = write(identified, run.project, command.write);
    if (command.json) {
      Json report = identificationJson(identified);
      addIntegrity(report, integrity);
      if (adopted) report["written"] = writtenJson(*adopted, command.write);
      printJson(report);
    } else {
      print(identificationText(identified) + (adopted ? writtenText(*adopted, command.write) : ""));
    }
  } catch (const InputError& error) {
    throw InputError(asOptions(error.issues()));
  }
  return integrity.damaged() ? kDeviceError : kDone;
}

}  // namespace

void addIdentify(CommandLine& line) {
  addSubcommand<IdentifyCommand>(
      line, "identify", "Identifies frequency response, coherence and a model from two channels of a run",
      [](CLI::App& command, IdentifyCommand& options) {
        command.add_option("RUN", options.files, "Run file; several files with one frequency each give one response")
            ->required();
        command.add_option("--input", options.input, "Input channel; default: command_1")->type_name("CHANNEL");
        command.add_option("--output", options.output, "Output channel; default: measured_1")->type_name("CHANNEL");
        command.add_option("--from", options.from, "First time in s; all analysed rows if left out")->type_name("S");
        command.add_option("--to", options.to, "Time in s at which the part ends")->type_name("S");
        command.add_option("--trial", options.trial, "Number of the trial whose rows are used");
        auto* identify_order =
            command.add_option("--order", options.order, "Poles and zeros: 3 or 3,1; default: proposed")
                ->type_name("POLES[,ZEROS]");
        command.add_option("--poles", options.poles, "Poles; default: proposed")->excludes(identify_order);
        command.add_option("--zeros", options.zeros, "Zeros; default: none")->excludes(identify_order);
        command.add_option("--delay", options.delay, "Delay in s, or auto: determined if the data show one")
            ->capture_default_str();
        command.add_option("--band", options.band, "Band in Hz: 0.1:20; default: the band with input power")
            ->type_name("FROM:TO");
        command.add_option("--segment", options.segment_s, "Length of a segment in s")->check(CLI::Range(0.0, 1e6));
        command
            .add_option("--hold", options.hold,
                        "Input between ticks: step (for a command), line (for a measured value or a target)")
            ->check(CLI::IsMember({"step", "line"}));
        command
            .add_option("--write", options.write,
                        "Writes the model into this project (actuator of the twin, inverse model); a new file gets the "
                        "run's project")
            ->type_name("PROJECT.json");
        jsonFlag(command, options.json);
      },
      identifyRunCommand);
}

}  // namespace hyb::app
