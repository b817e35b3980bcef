#include "core/assess/hum_report.h"

#include "core/base/figure_text.h"
#include "core/base/json.h"
#include "core/harmonic/hum_share.h"

namespace hyb {

Json humReport(const Project& project) {
  const std::optional<PeriodAverages> averages = project.coupling->periodAverages();
  if (!averages || !(averages->hum_n > 0.0 || averages->hum_m > 0.0)) return nullptr;
  const HumShare most = largestHumShare(*averages, project.loop.rate_hz);
  const auto error = [&](double amplitude) { return amplitude > 0.0 ? Json(most.share * amplitude) : Json(nullptr); };
  return {{"hum_hz", averages->hum_hz},
          {"periods", averages->periods},
          {"window", averages->hann ? "hann" : "rectangle"},
          {"frequency_hz", most.frequency_hz},
          {"harmonic", most.harmonic},
          {"share", most.share},
          {"error_n", error(averages->hum_n)},
          {"error_m", error(averages->hum_m)},
          {"tolerance_m", averages->tolerance_m > 0.0 ? Json(averages->tolerance_m) : Json(nullptr)}};
}

bool humExceeds(const Json& report) {
  return report.at("error_m").is_number() && report.at("tolerance_m").is_number() &&
         report.at("error_m").get<double>() > report.at("tolerance_m").get<double>();
}

std::string humSentence(const Json& report) {
  const auto number = [&](const char* key) { return report.at(key).get<double>(); };
  const int harmonic = report.at("harmonic").get<int>();
  std::string errors;
  if (report.at("error_n").is_number()) errors = quantityText(number("error_n"), "N");
  if (report.at("error_m").is_number())
    errors += (errors.empty() ? "" : " and ") + quantityText(number("error_m"), "m");
  std::string sentence = "Hum of " + figureText(number("hum_hz")) + " Hz leaves at most " + errors +
                         " in the averages over " + std::to_string(report.at("periods").get<int>()) + " periods (" +
                         (report.at("window") == "hann" ? "Hann" : "rectangle") + "), most at " +
                         figureText(number("frequency_hz")) + " Hz" +
                         (harmonic > 1 ? ", harmonic " + std::to_string(harmonic) : "") + ".";
  if (humExceeds(report))
    sentence += " This exceeds the tolerance of the residual of " + quantityText(number("tolerance_m"), "m") +
                ". Average over more periods, use the Hann window, or keep the frequencies away from the hum.";
  return sentence;
}

}  // namespace hyb
