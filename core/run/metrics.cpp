#include "core/run/metrics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/fidelity/tracking_measures.h"
#include "core/run/analysed_rows.h"
#include "core/run/build.h"
#include "core/run/measures.h"
#include "core/run/test_sums.h"
#include "core/run/verdict.h"

namespace hyb {
namespace {

constexpr double kLongestDelay_s = 0.1;  // searched for

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

/// The one frequency of a periodic run, Hz; 0 for any other.
double excitationFrequency(const Json& document) {
  double frequency_hz = 0.0;
  const Json::json_pointer place("/excitation/signals");
  if (!document.contains(place)) return 0.0;
  for (const Json& signal : document.at(place)) {
    const std::string kind = signal.value("kind", "");
    if (kind != "sine" && kind != "square") return 0.0;
    const double own_hz = signal.value("frequency_hz", 0.0);
    if (frequency_hz > 0.0 && own_hz != frequency_hz) return 0.0;
    frequency_hz = own_hz;
  }
  return frequency_hz;
}

/// Limit `index` of the project; files of older programs do not say which it was (-1).
LimitReached limitOf(const Json& document, int index) {
  const Json::json_pointer place("/safety/limits");
  if (index < 0 || !document.contains(place) || static_cast<std::size_t>(index) >= document.at(place).size())
    return {"a limit", Action::none};
  const Json& limit = document.at(place).at(static_cast<std::size_t>(index));
  LimitReached reached{limit.value("quantity", ""), Action::none};
  if (const int interface = limit.value("interface", 0); interface > 0) reached.name += " " + std::to_string(interface);
  const std::string action = limit.value("action", "");
  for (const Action one : {Action::indicate, Action::hold, Action::ramp, Action::stop})
    if (name(one) == action) reached.action = one;
  return reached;
}

Json figuresOf(const RunRows& run) {
  const AnalysedRows rows(run);
  const std::size_t count = rows.interfaces();
  const TestSums sums = testSums(run, rows);
  const double step_s = 1.0 / run.rate_hz, frequency_hz = excitationFrequency(run.project);
  const double reach_s = frequency_hz > 0.0 ? std::min(kLongestDelay_s, 0.45 / frequency_hz) : kLongestDelay_s;

  Json figures;
  figures["interfaces"] = Json::array();
  for (std::size_t i = 1; i <= count; ++i) {
    const std::string number = "_" + std::to_string(i);
    Json one;
    const InterfaceSums& sum = sums.interfaces[i - 1];
    one["name"] = sum.dof.name;
    one["units"] = sum.dof.motion == Motion::rotation ? "rad" : "m";  // of gap_rms and gap_peak
    if (rows.empty()) {                                               // ended before the analysis began
      for (const char* figure : {"tracking_nrmse_percent", "tracking_peak_percent", "delay_ms", "amplitude_ratio",
                                 "phase_deg", "gap_rms", "gap_peak"})
        one[figure] = nullptr;
      figures["interfaces"].push_back(std::move(one));
      continue;
    }
    const std::vector<double> target = rows.channel("target" + number);
    const std::vector<double> measured = rows.channel("measured" + number);
    one["tracking_nrmse_percent"] = finite(100.0 * sum.tracking.nrmse());
    one["tracking_peak_percent"] = finite(100.0 * sum.tracking.peakShare());
    one["delay_ms"] = finite(1e3 * delayByCorrelation(target, measured, step_s, reach_s));
    one["amplitude_ratio"] = one["phase_deg"] = nullptr;
    if (frequency_hz > 0.0) {
      const HarmonicReading reading = harmonicReading(target, measured, step_s, frequency_hz);
      one["amplitude_ratio"] = finite(reading.amplitude_ratio);
      one["phase_deg"] = finite(reading.phase_deg);
    }
    one["gap_rms"] = finite(sum.tracking.errorRms());
    one["gap_peak"] = finite(sum.tracking.errorPeak());
    if (sum.reference.count() > 0) {
      one["reference_nrmse_percent"] = finite(100.0 * sum.reference.nrmse());
      one["reference_peak_percent"] = finite(100.0 * sum.reference.peakShare());
    }
    figures["interfaces"].push_back(std::move(one));
  }
  figures["energy_error"] = finite(sums.energy_error_j);
  figures["missed_ticks"] = rows.missedInAll();
  figures["limits_hit"] = run.limits_hit;
  figures["stop_reason"] = run.stop_reason;
  figures["complete"] = run.complete;
  figures["valid"] = run.valid;
  figures["verdict"] = verdictJson(judge(run, rows, sums));
  return figures;
}

void addMeasures(Json& figures, const RunRows& run) {
  figures["measures"] = Json::object();
  for (Json& one : figures["interfaces"]) one["measures"] = Json::object();
  for (const MeasureReading& reading : readMeasures(run)) {
    Json& owner =
        reading.interface == 0 ? figures : figures["interfaces"][static_cast<std::size_t>(reading.interface) - 1];
    owner["measures"][reading.measure->name] = finite(reading.value);
  }
}

}  // namespace

Json metrics(const RunRows& run, bool measures) {
  try {
    Json figures = figuresOf(run);
    if (measures) addMeasures(figures, run);
    return figures;
  } catch (const Json::exception& error) {
    throw DeviceError(std::string("the project of the run is damaged: ") + error.what());
  }
}

RunRows rowsOf(const RunFileReader& file, const std::filesystem::path& folder) {
  const RunFileInfo& info = file.info();
  RunRows run;
  run.project = Json::parse(file.projectJson(), nullptr, false);
  if (run.project.is_discarded()) throw DeviceError("the run file holds no readable project (/config/project)");
  if (!(info.rate_hz > 0.0)) throw DeviceError("the run file gives no rate (attribute rate_hz)");
  run.folder = folder;
  run.rate_hz = info.rate_hz;
  run.rows = info.rows;
  run.channels = info.acquisition;
  run.read = [&file](const std::string& channel, std::uint64_t first, std::uint64_t count) {
    return file.read("acquisition/" + channel, first, count);
  };
  for (const RecordedEvent& event : file.events()) {
    if (event.code != static_cast<int>(EventCode::limit_hit)) continue;
    ++run.limits_hit;
    LimitReached limit = limitOf(run.project, event.index);
    if (std::none_of(run.limits.begin(), run.limits.end(), [&](const LimitReached& other) {
          return other.name == limit.name && other.action == limit.action;
        }))
      run.limits.push_back(std::move(limit));
  }
  run.stop_reason = info.stop_reason;
  run.ended = info.verdict.ended;
  run.rows_lost = info.rows_lost;
  run.complete = info.complete;
  run.valid = info.valid;
  return run;
}

Json metrics(const RunFileReader& file, const std::filesystem::path& folder) {
  return metrics(rowsOf(file, folder), true);
}

}  // namespace hyb
