#include "core/assess/identification.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/checks.h"
#include "core/base/figure_text.h"
#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/base/words.h"
#include "core/identification/simulate.h"
#include "core/run/analysed_rows.h"

namespace hyb {
namespace {

using Complex = std::complex<double>;

constexpr double kDegPerRad = 180.0 / kPi;
constexpr std::array kNoSignals{ColumnRole::time, ColumnRole::tick, ColumnRole::flags, ColumnRole::timing,
                                ColumnRole::adapted};

std::size_t requireChannel(const RunRecord& run, const std::string& name, const char* where) {
  const std::vector<std::string> known = signalsOf(run);
  std::string list;
  for (const std::string& channel : known) list += (list.empty() ? "" : ", ") + channel;
  if (std::ranges::find(known, name) == known.end())
    throw InputError(where, "is \"" + name.substr(0, 80) + "\", which the run does not contain. " + hint(name, known) +
                                (list.empty() ? "It has no signals at all." : "It has " + list + "."));
  return placeOf(run.table, name);
}

/// A part of a run: from_s <= time < to_s.
struct AskedPart {
  double from_s = -std::numeric_limits<double>::infinity(), to_s = std::numeric_limits<double>::infinity();
  const char* where = "";  // that was asked for; "": nothing
};
AskedPart trialPart(const RunRecord& run, int trial) {
  const std::string number = "is " + std::to_string(trial) + ", but ";
  const auto trials = run.segment("trial"), first = run.segment("first_tick"), last = run.segment("last_tick");
  const std::size_t count = trials && first && last ? run.segmentRows() : 0;
  if (count == 0) throw InputError("trial", number + "the run has no trials. Choose a part by its times.");
  const auto end = trials->begin() + static_cast<std::ptrdiff_t>(count);
  const auto found = std::find(trials->begin(), end, static_cast<double>(trial));
  if (found == end)
    throw InputError("trial",
                     number + "the run has the trials 1 to " + std::to_string(count) + ". Choose one of them.");
  const auto row = static_cast<std::size_t>(found - trials->begin());
  const double first_tick = (*first)[row], last_tick = (*last)[row];
  if (!(first_tick <= last_tick))
    throw DeviceError("the trials of the run are damaged: trial " + std::to_string(trial) + " ends before it starts");
  return {first_tick / run.table.rate_hz, (last_tick + 1.0) / run.table.rate_hz, "trial"};
}
AskedPart partAskedFor(const RunRecord& run, const IdentifyRun& asked) {
  AskedPart part;
  if (asked.trial) {
    if (asked.from_s || asked.to_s)
      throw InputError("trial", "cannot stand beside times. Give either the trial or its times.");
    return trialPart(run, *asked.trial);
  }
  if (asked.from_s) part.from_s = *asked.from_s;
  if (asked.to_s) part.to_s = *asked.to_s;
  part.where = asked.from_s ? "from" : asked.to_s ? "to" : "";
  if (!(part.from_s < part.to_s))
    throw InputError("from", "is " + Checks::text(part.from_s, "s") + ", which is not before the end of the part, " +
                                 Checks::text(part.to_s, "s") + ". Give an earlier start or a later end.");
  return part;
}

/// Periods of the analysed rows.
struct PeriodRange {
  std::size_t first = 0, end = std::numeric_limits<std::size_t>::max();
};
/// Throws InputError where too few of the analysed rows are in the part.
PeriodRange periodsIn(const AskedPart& part, const AnalysedRows& rows, double rate_hz) {
  if (*part.where == '\0' || rows.empty()) return {};
  constexpr double kSameRow = 1e-6;  // a time that is meant to be that of a row may differ in the last digits
  const double count = std::round((rows.to_s() - rows.from_s()) * rate_hz) + 1.0;
  const auto periodAt = [&](double time_s) {
    return static_cast<std::size_t>(std::clamp(std::ceil((time_s - rows.from_s()) * rate_hz - kSameRow), 0.0, count));
  };
  const PeriodRange range{periodAt(part.from_s), periodAt(part.to_s)};
  if (range.end < range.first + kFewestRows)
    throw InputError(part.where, "leaves " + std::to_string(range.end - range.first) +
                                     " of the analysed rows, which last from " + Checks::text(rows.from_s(), "") +
                                     " to " + Checks::text(rows.to_s(), "s") + ". Choose a part with at least " +
                                     std::to_string(kFewestRows) + " of them.");
  return range;
}

/// One value per period of two channels; the longest stretch without a hold.
struct Stretch {
  std::vector<double> input, output;
  std::size_t first = 0;  // period of the analysed rows
};
/// `most` rows. until_hold: only rows before the first hold, after which the excitation is late.
Stretch stretchOf(const AnalysedRows& rows, const PeriodRange& range, std::size_t input, std::size_t output,
                  std::size_t most, bool until_hold) {
  Stretch longest, now;
  std::size_t period = 0;
  bool was_held = false;
  const auto end = [&] {
    if (now.input.size() > longest.input.size()) std::swap(longest, now);
    now = {};
  };
  rows.visit({input, output}, [&](std::span<const double> values, bool held) {
    was_held = was_held || held;
    if (held || (until_hold && was_held) || period < range.first || period >= range.end) {
      end();
    } else if (now.input.size() < most) {
      if (now.input.empty()) now.first = period;
      now.input.push_back(values[0]);
      now.output.push_back(values[1]);
    }
    ++period;
  });
  end();
  return longest;
}

/// Frequencies that are whole multiples of a signal's own, Hz; empty: it does not repeat.
std::vector<double> repeatedAt(const Json& signal) {
  const std::string kind = text(signal, "kind");
  if (kind.starts_with("band-")) return {1.0 / signal.value("period_s", 0.0)};
  if (kind == "sine" || kind == "square") return {signal.value("frequency_hz", 0.0)};
  std::vector<double> all;
  if (kind == "multi-sine")
    for (const Json& component : signal.at("components")) all.push_back(component.value("frequency_hz", 0.0));
  return all;
}

Json orNull(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json orderJson(const OrderSpec& order) { return {{"poles", order.poles}, {"zeros", order.zeros}}; }

std::string coefficients(const std::vector<double>& ascending) {
  std::string text;
  for (const double c : highestFirst(ascending)) text += (text.empty() ? "" : ", ") + figureText(c, 7);
  return text;
}

std::string rootsText(const std::vector<Complex>& all) {
  std::string text;
  for (const Complex& root : all) {
    if (root.imag() < 0.0) continue;  // reported with its conjugate
    text += (text.empty() ? "" : ", ") + figureText(root.real(), 4);
    if (root.imag() > 0.0) text += " +- " + figureText(root.imag(), 4) + "i";
    text += " (" + figureText(std::abs(root) / kTwoPi) + " Hz)";
  }
  return text.empty() ? "none" : text;
}

Json responseJson(const RunIdentification& identified) {
  const Identification& found = identified.found;
  const bool whole = found.method == ResponseMethod::local || found.method == ResponseMethod::steps;
  const double segment_s = static_cast<double>(found.segments.length) / identified.rate_hz;
  Json response = {{"method", name(found.method)},
                   {"segments", found.response.segments},
                   {"segment_s", whole ? Json(nullptr) : Json(segment_s)},
                   {"averages", found.response.averages},
                   {"from_hz", found.from_hz},
                   {"to_hz", found.to_hz},
                   {"lines", Json::array()}};
  for (std::size_t k = 0; k < found.response.lines.size(); ++k) {
    const ResponseLine& line = found.response.lines[k];
    Json row = {{"frequency_hz", line.frequency_hz},
                {"magnitude", orNull(std::abs(line.h1))},
                {"phase_deg", orNull(kDegPerRad * std::arg(line.h1))},
                {"magnitude_h2", orNull(std::abs(line.h2))},
                {"coherence", line.coherence},
                {"random_error", orNull(line.random_error)},
                {"radius_95", orNull(line.radius)}};
    if (k < found.phasors.size())
      row.update({{"scatter", orNull(found.phasors[k].scatter)},
                  {"settling", found.phasors[k].settling},
                  {"settled", found.phasors[k].settled},
                  {"phasors", rootsJson(found.phasors[k].periods)}});
    if (found.model) {
      const Complex model = sampledResponse(*found.model, line.frequency_hz, 1.0 / identified.rate_hz, identified.hold);
      row["model_magnitude"] = orNull(std::abs(model));
      row["model_phase_deg"] = orNull(kDegPerRad * std::arg(model));
    }
    response["lines"].push_back(std::move(row));
  }
  return response;
}

}  // namespace

std::vector<double> highestFirst(const std::vector<double>& ascending) {
  return {ascending.rbegin(), ascending.rend()};
}

Json rootsJson(const std::vector<Complex>& roots) {
  Json list = Json::array();
  for (const Complex& root : roots) list.push_back({{"re", root.real()}, {"im", root.imag()}});
  return list;
}

std::vector<std::string> signalsOf(const RunRecord& run) {
  std::vector<std::string> signals;
  for (const Channel& channel : run.table.channels)
    if (std::ranges::find(kNoSignals, channel.role) == kNoSignals.end()) signals.push_back(channel.name);
  return signals;
}

std::optional<double> excitationPeriod_s(const Json& project, double rate_hz, double longest_s) {
  constexpr double kCycles = 1e-6;  // tolerance for decimal frequencies
  const auto excitation = project.find("excitation");
  if (excitation == project.end() || !excitation->contains("signals")) return std::nullopt;
  std::vector<double> frequencies_hz;
  for (const Json& signal : excitation->at("signals")) {
    const std::vector<double> own_hz = repeatedAt(signal);
    if (own_hz.empty()) return std::nullopt;
    frequencies_hz.insert(frequencies_hz.end(), own_hz.begin(), own_hz.end());
  }
  if (frequencies_hz.empty() || !(std::ranges::min(frequencies_hz) > 0.0)) return std::nullopt;
  const double lowest_hz = std::ranges::min(frequencies_hz);
  const auto whole = [](double cycles) { return std::abs(cycles - std::round(cycles)) <= kCycles; };
  for (double cycle = 1.0; cycle <= longest_s * lowest_hz + kCycles; cycle += 1.0) {
    const double period_s = cycle / lowest_hz;
    if (whole(period_s * rate_hz) &&
        std::ranges::all_of(frequencies_hz, [&](double hz) { return whole(period_s * hz); }))
      return std::round(period_s * rate_hz) / rate_hz;
  }
  return std::nullopt;
}

std::vector<SineStep> excitationSteps(const Json& project, double first_s, double last_s) {
  const auto excitation = project.find("excitation");
  if (excitation == project.end() || !excitation->contains("signals")) return {};
  if (project.contains(Json::json_pointer("/loop/trials"))) return {};  // each trial has a clock of its own
  std::vector<SineStep> common;
  const auto same = [](const SineStep& a, const SineStep& b) {
    return a.frequency_hz == b.frequency_hz && a.measured_s == b.measured_s && a.end_s == b.end_s;
  };
  for (const Json& signal : excitation->at("signals")) {
    const std::string kind = text(signal, "kind");
    std::vector<SineStep> steps;
    if (const double hz = signal.value("frequency_hz", 0.0); kind == "sine" && hz > 0.0) {
      steps = {{hz, first_s, first_s, first_s + std::floor((last_s - first_s) * hz) / hz}};
    } else if (kind == "stepped-sine") {
      steps = stepsOf(parseSteppedSine(signal));
      const double from_s = couplingOf(project)->excitationFrom_s();
      for (SineStep& step : steps)
        for (double* time_s : {&step.start_s, &step.measured_s, &step.end_s}) *time_s += from_s;
    }
    if (steps.empty() || (!common.empty() && !std::ranges::equal(steps, common, same))) return {};
    common = std::move(steps);
  }
  return common;
}

RunIdentification identifyRun(const RunRecord& run, const IdentifyRun& asked) {
  RunIdentification result;
  result.input = asked.input.empty() ? "command_1" : asked.input;
  result.output = asked.output.empty() ? "measured_1" : asked.output;
  const std::size_t input = requireChannel(run, result.input, "input"),
                    output = requireChannel(run, result.output, "output");
  const double rate_hz = run.table.rate_hz;
  if (result.input == result.output)
    throw InputError("output", "is \"" + result.output + "\", which is the input itself; choose another channel.");
  const bool command = run.table.channels[input].role == ColumnRole::command;
  result.hold = asked.hold.value_or(command ? Hold::step : Hold::line);
  result.rate_hz = rate_hz;
  result.trial = asked.trial;
  const AskedPart part = partAskedFor(run, asked);
  Stretch stretch;
  IdentifySpec spec = asked.spec;
  try {
    const AnalysedRows rows(run);
    const bool stepped = !spec.segment_s && !excitationSteps(run.project, 0.0, 1.0).empty();
    if (!rows.empty())
      stretch = stretchOf(rows, periodsIn(part, rows, rate_hz), input, output,
                          stepped ? kMostSteppedRows : kMostIdentifiedRows, stepped);
    result.from_s = rows.from_s() + static_cast<double>(stretch.first) / rate_hz;
    if (stepped) {
      spec.steps_from_s = result.from_s;
      spec.steps = excitationSteps(run.project, result.from_s,
                                   result.from_s + static_cast<double>(stretch.input.size()) / rate_hz);
    }
    if (!spec.period_s)
      spec.period_s = excitationPeriod_s(run.project, rate_hz, static_cast<double>(stretch.input.size()) / rate_hz);
  } catch (const Json::exception& error) {
    throw DeviceError(std::string("the project of the run is damaged: ") + error.what());
  }
  spec.rate_hz = rate_hz;
  spec.hold = result.hold;
  result.found = identify(stretch.input, stretch.output, spec);
  result.spec = spec;
  result.input_samples = std::move(stretch.input);
  result.output_samples = std::move(stretch.output);
  result.to_s = result.from_s + static_cast<double>(result.found.rows - 1) / rate_hz;
  return result;
}

RunIdentification joined(const std::vector<RunIdentification>& runs) {
  RunIdentification all = runs.front();
  SteppedResponse merged;
  std::vector<std::pair<ResponseLine, StepPhasors>> lines;
  all.found.rows = 0;
  merged.response.segments = std::numeric_limits<std::size_t>::max();
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const Identification& found = runs[r].found;
    if (found.method != ResponseMethod::steps)
      throw InputError("runs", "cannot be joined: the excitation of run " + std::to_string(r + 1) +
                                   " is neither a stepped sine nor a sine. Identify it alone.");
    for (std::size_t k = 0; k < found.phasors.size(); ++k)
      lines.emplace_back(found.response.lines[k], found.phasors[k]);
    all.found.rows += found.rows;
    merged.response.segments = std::min(merged.response.segments, found.response.segments);
  }
  std::ranges::stable_sort(lines, {}, [](const auto& line) { return line.first.frequency_hz; });
  for (auto& [line, phasors] : lines) {
    merged.response.lines.push_back(line);
    merged.phasors.push_back(std::move(phasors));
  }
  merged.response.averages = static_cast<double>(merged.response.segments);
  all.found.findings = findingsOf(merged);
  for (IdentificationFinding& finding : findingsOf(merged.response, true))
    all.found.findings.push_back(std::move(finding));
  all.found.from_hz = merged.response.lines.front().frequency_hz;
  all.found.to_hz = merged.response.lines.back().frequency_hz;
  all.found.response = std::move(merged.response);
  all.found.phasors = std::move(merged.phasors);
  all.found.choice = {};
  all.found.model.reset();
  return all;
}

std::vector<std::pair<std::string, std::string>> modelFigures(const Identification& found) {
  if (!found.model) return {};
  const TransferModel& model = *found.model;
  std::vector<std::pair<std::string, std::string>> figures{
      {"order", orderText(model.poleCount(), model.zeroCount()) + (found.proposed ? ", proposed" : "")},
      {"numerator", coefficients(model.numerator)},
      {"denominator", coefficients(model.denominator)},
      {"delay", quantityText(model.delay_s, "s", 4)},
      {"gain at rest", figureText(model.dcGain(), 5)},
      {"poles, 1/s", rootsText(poles(model))},
      {"zeros, 1/s", rootsText(zeros(model))}};
  if (found.record) figures.emplace_back("fit of the record", figureText(found.record->fit_percent, 4) + " %");
  figures.emplace_back("deviation", figureText(found.deviation_percent) + " % of the response");
  figures.emplace_back("properties", std::string(stable(model) ? "stable" : "unstable") + ", " +
                                         (minimumPhase(model) ? "minimum-phase" : "not minimum-phase"));
  return figures;
}

Json identificationJson(const RunIdentification& identified) {
  const Identification& found = identified.found;
  Json report = {{"input", identified.input},
                 {"output", identified.output},
                 {"hold", identified.hold == Hold::step ? "step" : "line"},
                 {"rate_hz", identified.rate_hz},
                 {"rows", found.rows},
                 {"from_s", identified.from_s},
                 {"to_s", identified.to_s},
                 {"trial", identified.trial ? Json(*identified.trial) : Json(nullptr)},
                 {"response", responseJson(identified)}};
  Json candidates = Json::array();
  for (std::size_t i = 0; i < found.choice.candidates.size(); ++i) {
    const OrderCandidate& candidate = found.choice.candidates[i];
    Json row = orderJson(candidate.order);
    row["delay_s"] = candidate.fit.model.delay_s;
    row["deviation_percent"] = candidate.fit.deviation_percent;
    row["criterion"] = candidate.fit.criterion;
    row["proposed"] = i == found.choice.proposed;
    candidates.push_back(std::move(row));
  }
  report["orders"] = std::move(candidates);
  report["model"] = nullptr;
  if (found.model) {
    const TransferModel& model = *found.model;
    report["model"] = {{"order", found.proposed ? "proposed" : "given"},
                       {"numerator", highestFirst(model.numerator)},
                       {"denominator", highestFirst(model.denominator)},
                       {"delay_s", model.delay_s},
                       {"dc_gain", orNull(model.dcGain())},
                       {"poles", rootsJson(poles(model))},
                       {"zeros", rootsJson(zeros(model))},
                       {"stable", stable(model)},
                       {"minimum_phase", minimumPhase(model)},
                       {"fitted_to", found.from_record                       ? "rows"
                                     : found.method == ResponseMethod::steps ? "response"
                                                                             : "band"},
                       {"deviation_percent", orNull(found.deviation_percent)},
                       {"fit_percent", found.record ? orNull(found.record->fit_percent) : Json(nullptr)},
                       {"offset", found.record ? orNull(found.record->offset) : Json(nullptr)}};
  }
  report["findings"] = Json::array();
  for (const IdentificationFinding& finding : found.findings)
    report["findings"].push_back({{"code", name(finding.what)}, {"sentence", finding.sentence}});
  return report;
}

}  // namespace hyb
