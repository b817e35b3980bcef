#include "core/assess/metrics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/assess/measures.h"
#include "core/assess/resonance.h"
#include "core/base/numbers.h"
#include "core/run/analysed_rows.h"
#include "core/run/continuation_figures.h"
#include "core/run/test_sums.h"
#include "core/run/verdict.h"

namespace hyb {
namespace {

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

/// An integer if possible. A damaged file may hold any value.
Json whole(double value) {
  return value == std::floor(value) && std::abs(value) < 0x1p63 ? Json(static_cast<std::int64_t>(value))
                                                                : finite(value);
}

/// Counts stay whole numbers.
Json figure(const Measure& measure, double value) {
  return measure.ofTest() && measure.always() && *measure.unit == '\0' ? whole(value) : finite(value);
}

/// One object per trial, and which counting trial has the least error; for a sweep, one object per frequency. Empty if
/// the test is one segment.
void addSegments(const RunRecord& run, Json& figures) {
  if (!run.table.segments) return;
  const Table& segments = *run.table.segments;
  const bool trials = find(segments, "trial").has_value();
  std::vector<std::vector<double>> columns;
  for (std::size_t c = 0; c < segments.channels.size(); ++c) columns.push_back(segments.column(c));
  Json list = Json::array();
  Json best = nullptr;
  double least = kNoValue;
  for (std::size_t row = 0; row < segments.rows; ++row) {
    Json one = Json::object();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::string& name = segments.channels[c].name;
      const double value = columns[c][row];
      one[name] = name == "trial" || name == "point" || name.ends_with("_tick") ? whole(value)
                  : name == "whole" || name == "converged" || (name == "stable" && !std::isnan(value))
                      ? Json(value != 0.0)
                      : finite(value);
    }
    const Json error = one.value("tracking_nrmse_percent", Json());
    if (one.value("whole", false) && error.is_number() && !(error.get<double>() >= least)) {
      least = error.get<double>();
      best = one["trial"];
    }
    list.push_back(std::move(one));
  }
  figures[trials ? "trials" : "frequencies"] = std::move(list);
  if (trials)
    figures["best_trial"] = best;
  else
    figures["resonances"] = resonances(run);
}

/// What the figures leave out, one sentence each.
Json leftOut(const Json& project, bool measures) {
  Json sentences = Json::array();
  std::string libraries;
  for (const std::string& one : librariesNamed(project)) libraries += (libraries.empty() ? "\"" : ", \"") + one + "\"";
  if (!libraries.empty() && measures)
    sentences.push_back("The compensation is a plug-in (" + libraries +
                        "), which is not loaded for figures. Bandwidth, susceptibility and phase margin are left out.");
  return sentences;
}

Json figuresOf(const RunRecord& given, bool all) {
  RunRecord run = given;
  run.parsed = projectOf(given);  // once for all
  const AnalysedRows rows(run);
  const TestSums sums = testSums(run, rows);
  const MeasureChoice wanted = [all](const Measure& measure) { return all || measure.always(); };
  Json figures;
  figures["interfaces"] = Json::array();
  for (const InterfaceSums& one : sums.interfaces)
    figures["interfaces"].push_back(
        {{"name", one.axis.name}, {"units", facts(one.axis.target).unit}});  // units of the gap
  if (all) {
    figures["measures"] = Json::object();
    for (Json& one : figures["interfaces"]) one["measures"] = Json::object();
  }
  for (const MeasureReading& reading : readMeasures(run, rows, sums, wanted)) {
    const Measure& measure = *reading.measure;
    Json& owner =
        reading.interface == 0 ? figures : figures["interfaces"][static_cast<std::size_t>(reading.interface) - 1];
    (measure.always() ? owner : owner["measures"])[measure.name] = figure(measure, reading.value);
  }
  if (rows.empty())
    figures["too_short"] = tooShort(rows);
  else
    figures["analysed"] = {{"from_s", rows.from_s()}, {"to_s", rows.to_s()}};
  addSegments(run, figures);
  if (const auto paths = continuationOf(run)) figures["continuation"] = figuresJson(*paths);
  figures["left_out"] = leftOut(run.project, all);
  figures["stop_reason"] = run.stop_reason;
  figures["complete"] = run.complete;
  figures["valid"] = run.valid;
  figures["verdict"] = verdictJson(judge(run, rows, sums));
  return figures;
}

}  // namespace

const Json* readingIn(const Json& owner, const Measure& measure) {
  const Json* in = &owner;
  if (!measure.always()) {
    const auto all = owner.find("measures");
    if (all == owner.end()) return nullptr;
    in = &*all;
  }
  const auto found = in->find(measure.name);
  return found == in->end() ? nullptr : &*found;
}

Json metrics(const RunRecord& run, bool measures) {
  try {
    return figuresOf(run, measures);
  } catch (const Json::exception& error) {
    throw DeviceError(std::string("the project of the run is damaged: ") + error.what());
  }
}

Json metrics(const RunFileReader& file, const std::filesystem::path& folder, std::vector<std::string> damage) {
  return metrics(recordOf(file, folder, std::move(damage)), true);
}

}  // namespace hyb
