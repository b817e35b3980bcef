#include "core/run/metrics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/fidelity/tracking_measures.h"
#include "core/run/analysed_rows.h"
#include "core/run/build.h"
#include "core/run/measures.h"

namespace hyb {
namespace {

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

/// A project whose ground motion is not on this computer still has its figures, with plain names.
std::vector<Dof> interfaceDofs(const Json& document, std::size_t count) {
  std::vector<Dof> list;
  try {
    list = buildPartition(parseProject(document)).interface;
  } catch (const InputError&) {
  }
  for (std::size_t i = list.size(); i < count; ++i) list.push_back({"interface " + std::to_string(i + 1)});
  return list;
}

double rms(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

double peak(const std::vector<double>& values) {
  double largest = 0.0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

Json figuresOf(const RunRows& run) {
  const AnalysedRows rows(run);
  const std::size_t count = rows.interfaces();
  const std::vector<Dof> dofs = run.interfaces.size() == count ? run.interfaces : interfaceDofs(run.project, count);
  const double step_s = 1.0 / run.rate_hz, frequency_hz = excitationFrequency(run.project);
  const double reach_s = frequency_hz > 0.0 ? std::min(kLongestDelay_s, 0.45 / frequency_hz) : kLongestDelay_s;

  Json figures;
  figures["interfaces"] = Json::array();
  double energy_j = 0.0;
  for (std::size_t i = 1; i <= count; ++i) {
    const std::string number = "_" + std::to_string(i);
    Json one;
    one["name"] = dofs[i - 1].name;
    one["units"] = dofs[i - 1].motion == Motion::rotation ? "rad" : "m";  // of gap_rms and gap_peak
    if (rows.empty()) {                                                   // ended before the analysis began
      for (const char* figure : {"tracking_nrmse_percent", "tracking_peak_percent", "delay_ms", "amplitude_ratio",
                                 "phase_deg", "gap_rms", "gap_peak"})
        one[figure] = nullptr;
      figures["interfaces"].push_back(std::move(one));
      continue;
    }
    const std::vector<double> target = rows.channel("target" + number);
    const std::vector<double> measured = rows.channel("measured" + number);
    const std::vector<double> gap = rows.channel("gap" + number);
    const std::vector<double> force = rows.channel("force" + number);
    one["tracking_nrmse_percent"] = finite(nrmsePercent(target, measured));
    one["tracking_peak_percent"] = finite(peakPercent(target, measured));
    one["delay_ms"] = finite(1e3 * delayByCorrelation(target, measured, step_s, reach_s));
    one["amplitude_ratio"] = one["phase_deg"] = nullptr;
    if (frequency_hz > 0.0) {
      const HarmonicReading reading = harmonicReading(target, measured, step_s, frequency_hz);
      one["amplitude_ratio"] = finite(reading.amplitude_ratio);
      one["phase_deg"] = finite(reading.phase_deg);
    }
    one["gap_rms"] = finite(rms(gap));
    one["gap_peak"] = finite(peak(gap));
    if (rows.has("reference" + number)) {
      const std::vector<double> reference = rows.channel("reference" + number);
      one["reference_nrmse_percent"] = finite(nrmsePercent(reference, measured));
      one["reference_peak_percent"] = finite(peakPercent(reference, measured));
    }
    // As the safety chain sums it: what the transfer system feeds in, - integral of f dg.
    for (std::size_t k = 1; k < gap.size(); ++k) energy_j -= 0.5 * (force[k] + force[k - 1]) * (gap[k] - gap[k - 1]);
    figures["interfaces"].push_back(std::move(one));
  }
  figures["energy_error"] = !rows.empty() ? finite(energy_j) : Json(nullptr);
  const std::vector<double> ticks = run.read("tick", 0, run.rows);
  figures["missed_ticks"] = ticks.empty() ? std::int64_t{0}
                                          : static_cast<std::int64_t>(ticks.back() - ticks.front()) + 1 -
                                                static_cast<std::int64_t>(ticks.size());
  figures["limits_hit"] = run.limits_hit;
  figures["stop_reason"] = run.stop_reason;
  figures["complete"] = run.complete;
  figures["valid"] = run.valid;
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

Json metrics(const RunFileReader& file, const std::filesystem::path& folder) {
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
  const std::vector<RecordedEvent> events = file.events();
  run.limits_hit = std::count_if(events.begin(), events.end(), [](const RecordedEvent& event) {
    return event.code == static_cast<int>(EventCode::limit_hit);
  });
  run.stop_reason = info.stop_reason;
  run.complete = info.complete;
  run.valid = info.valid;
  return metrics(run, true);
}

}  // namespace hyb
