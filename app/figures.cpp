#include "app/figures.h"

#include "app/console.h"

namespace hyb::app {
namespace {

/// "%.3g" of a figure; "-" where a run does not have it.
std::string figure(const Json& object, const char* key, double factor = 1.0) {
  const auto value = object.find(key);
  return value == object.end() || !value->is_number() ? "-" : format("%.3g", factor * value->get<double>());
}

}  // namespace

std::string figuresTable(const Json& metrics) {
  std::string text = format("%-14s %12s %12s %10s %10s %10s %12s %12s\n", "interface", "NRMSE %", "peak %", "delay ms",
                            "amplitude", "phase deg", "gap rms mm", "gap peak mm");
  for (const Json& row : metrics.value("interfaces", Json::array()))
    text += format("%-14s %12s %12s %10s %10s %10s %12s %12s\n", row.value("name", std::string()).c_str(),
                   figure(row, "tracking_nrmse_percent").c_str(), figure(row, "tracking_peak_percent").c_str(),
                   figure(row, "delay_ms").c_str(), figure(row, "amplitude_ratio").c_str(),
                   figure(row, "phase_deg").c_str(), figure(row, "gap_rms", 1e3).c_str(),
                   figure(row, "gap_peak", 1e3).c_str());
  for (const Json& row : metrics.value("interfaces", Json::array()))
    if (row.contains("reference_nrmse_percent"))
      text += format("%-14s against the uncut structure: NRMSE %s %%, peak %s %%\n",
                     row.value("name", std::string()).c_str(), figure(row, "reference_nrmse_percent").c_str(),
                     figure(row, "reference_peak_percent").c_str());
  return text + "energy error " + figure(metrics, "energy_error") + " J, missed ticks " +
         figure(metrics, "missed_ticks") + ", limits hit " + figure(metrics, "limits_hit") + "\n";
}

std::string stabilityText(const Json& report) {
  const auto critical = report.find("critical_delay_s");
  std::string text = critical == report.end() || critical->is_null()
                         ? "no delay makes a root cross below the cut-off\n"
                         : "critical delay " + format("%.4g ms at ", 1e3 * critical->get<double>()) +
                               format("%.5g Hz\n", report.value("crossing_hz", 0.0));
  for (const Json& part : report.value("delay_parts", Json::array()))
    text += format("  %-30s %8.3f ms\n", part.value("name", std::string()).c_str(), 1e3 * part.value("delay_s", 0.0));
  text += "delay analysed " + figure(report, "delay_s", 1e3) +
          " ms, without compensation: " + (report.value("stable", false) ? "stable\n" : "unstable\n");
  text += "rightmost roots (1/s):\n";
  for (const Json& root : report.value("roots", Json::array()))
    text += format("  %10.4g %+10.4g i\n", root.value("re", 0.0), root.value("im", 0.0));
  return text;
}

}  // namespace hyb::app
