#include "app/figures.h"

#include "app/console.h"

namespace hyb::app {
namespace {

/// A figure, "-" where a run does not have it. `digits`: significant ones.
std::string figure(const Json& object, const char* key, double factor = 1.0, int digits = 3) {
  const auto value = object.find(key);
  return value == object.end() || !value->is_number() ? "-" : format("%.*g", digits, factor * value->get<double>());
}

}  // namespace

std::string figuresTable(const Json& metrics) {
  std::string text = format("%-14s %12s %12s %10s %10s %10s %12s %12s\n", "interface", "NRMSE %", "peak %", "delay ms",
                            "amplitude", "phase deg", "gap rms", "gap peak");
  for (const Json& row : metrics.value("interfaces", Json::array())) {
    const std::string unit = row.value("units", std::string("m")) == "rad" ? " mrad" : " mm";
    text += format("%-14s %12s %12s %10s %10s %10s %12s %12s\n", row.value("name", std::string()).c_str(),
                   figure(row, "tracking_nrmse_percent").c_str(), figure(row, "tracking_peak_percent").c_str(),
                   figure(row, "delay_ms").c_str(), figure(row, "amplitude_ratio").c_str(),
                   figure(row, "phase_deg").c_str(), (figure(row, "gap_rms", 1e3) + unit).c_str(),
                   (figure(row, "gap_peak", 1e3) + unit).c_str());
  }
  for (const Json& row : metrics.value("interfaces", Json::array()))
    if (row.contains("reference_nrmse_percent"))
      text += format("%-14s against the uncut structure: NRMSE %s %%, peak %s %%\n",
                     row.value("name", std::string()).c_str(), figure(row, "reference_nrmse_percent").c_str(),
                     figure(row, "reference_peak_percent").c_str());
  return text + "energy error " + figure(metrics, "energy_error") + " J, missed ticks " +
         figure(metrics, "missed_ticks") + ", limits hit " + figure(metrics, "limits_hit") + "\n";
}

namespace {

std::string criticalText(const Json& report) {
  if (!report.contains("critical_delay_s") || report["critical_delay_s"].is_null())
    return "no delay makes a root cross below the cut-off\n";
  std::string text = "critical delay " + figure(report, "critical_delay_s", 1e3, 4) + " ms at " +
                     figure(report, "crossing_hz", 1.0, 5) + " Hz";
  if (report.contains("psi") && report["psi"].is_number()) text += ", PSI " + figure(report, "psi");
  if (report.value("entry", Json()) == "cut-off")
    return text +
           "\n  enters through the cut-off: both sides have mass at the interface. Choose --cutoff as high as the "
           "actuators can follow\n";
  return text + "\n";
}

std::string frequenciesText(const Json& clamped, const char* side) {
  std::string text;
  for (const Json& value : clamped.value(side, Json::array()))
    text += (text.empty() ? "" : ", ") + format("%.4g", value.get<double>());
  return text.empty() ? "none" : text + " Hz";
}

std::string mapText(const Json& map) {
  std::string text =
      format("%12s %14s %10s %12s %12s\n", "cut at m", "critical ms", "at Hz", "NS held Hz", "PS held Hz");
  for (const Json& point : map) {
    text += format("%12s ", figure(point, "position_m", 1.0, 4).c_str());
    if (point.contains("fault") && point["fault"].is_string())
      text += point["fault"].get<std::string>() + "\n";
    else
      text += format("%14s %10s %12s %12s\n", figure(point, "critical_delay_s", 1e3, 4).c_str(),
                     figure(point, "crossing_hz", 1.0, 4).c_str(), figure(point, "numerical_clamped_hz").c_str(),
                     figure(point, "physical_clamped_hz").c_str());
  }
  return text;
}

}  // namespace

std::string stabilityText(const Json& report) {
  std::string text = criticalText(report);
  for (const Json& part : report.value("delay_parts", Json::array()))
    text += format("  %-30s %8.3f ms\n", part.value("name", std::string()).c_str(), 1e3 * part.value("delay_s", 0.0));
  text += "delay analysed " + figure(report, "delay_s", 1e3) +
          " ms, without compensation: " + (report.value("stable", false) ? "stable\n" : "unstable\n");
  for (const Json& margin : report.value("phase_margins", Json::array()))
    text += "phase margin " + figure(margin, "phase_margin_deg") + " deg at " + figure(margin, "frequency_hz") +
            " Hz, bears " + figure(margin, "tolerated_delay_s", 1e3) + " ms\n";
  if (report.contains("discrete") && report["discrete"].is_object())
    text += "from tick to tick: spectral radius " + figure(report["discrete"], "spectral_radius", 1.0, 6) + ", " +
            figure(report["discrete"], "growth_per_s") + " 1/s at " + figure(report["discrete"], "frequency_hz") +
            " Hz\n";
  if (report.contains("clamped_hz"))
    text += "with the interface held: computed part " + frequenciesText(report["clamped_hz"], "numerical") +
            "; specimen " + frequenciesText(report["clamped_hz"], "physical") + "\n";
  for (const Json& remark : report.value("notes", Json::array())) text += "note: " + remark.get<std::string>() + "\n";
  text += "rightmost roots (1/s):\n";
  for (const Json& root : report.value("roots", Json::array()))
    text += format("  %10.4g %+10.4g i\n", root.value("re", 0.0), root.value("im", 0.0));
  if (report.contains("interface_map")) text += mapText(report["interface_map"]);
  return text;
}

}  // namespace hyb::app
