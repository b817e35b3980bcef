#include "core/assess/gap_loop_report.h"

#include <cmath>

#include "core/base/figure_text.h"
#include "core/base/json.h"
#include "core/run/build.h"

namespace hyb {
namespace {

Json orNull(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json errorsOf(const ErrorMap& map) {
  Json rows = Json::array();
  for (Eigen::Index t = 0; t < map.values.rows(); ++t) {
    Json row = Json::array();
    for (const double value : map.values.row(t)) row.push_back(orNull(value));
    rows.push_back(std::move(row));
  }
  return {{"amplitude_ratios", map.factors},
          {"phase_errors_deg", map.turns_deg},
          {map.grows ? "growth_per_s" : "gap_left", std::move(rows)}};
}

}  // namespace

Json gapLoopReport(const Project& project, const Partition& partition) {
  // Its libraries are not loaded here, and a scheme beside the rig has no compensation.
  if (!project.compensation.method->notLoaded().empty()) return Json::object();
  try {
    const std::optional<GapLoop> loop = project.coupling->gapLoop(schemeContext(project, partition));
    if (!loop) return Json::object();
    const ErrorMap map = loop->errors.value_or(ErrorMap());
    return {{"law", loop->law},
            {"growth_per_s", orNull(loop->growth_per_s)},
            {"stable", !loop->growth_per_s || *loop->growth_per_s < 0.0},
            {"largest_gain_factor", orNull(loop->largest_factor)},
            {"phase_from_deg", orNull(map.from_deg)},
            {"phase_to_deg", orNull(map.to_deg)},
            {"errors", loop->errors ? errorsOf(map) : Json(nullptr)}};
  } catch (const InputError& error) {
    return {{"fault", error.what()}};
  }
}

std::vector<std::string> gapLoopSentences(const Json& report) {
  if (report.empty()) return {};
  if (report.contains("fault"))
    return {"the closing of the gap is not analysed: " + report.at("fault").get<std::string>()};
  const std::string law = "\"" + report.at("law").get<std::string>() + "\"";
  const auto figure = [&](const char* key) { return figureText(report.at(key).get<double>()); };
  if (report.at("growth_per_s").is_null()) {
    if (report.at("errors").is_null())
      return {law + " identifies the response to the commands during the test: initial errors vanish"};
    return {law + " does not use the gap: an identification error leaves a gap, but nothing diverges"};
  }
  std::vector<std::string> all{law + " feeds the gap back: with the correct model its slowest motion " +
                               (report.at("stable").get<bool>() ? "decays" : "grows") + " by " +
                               figureText(std::abs(report.at("growth_per_s").get<double>())) + " 1/s"};
  if (report.at("stable").get<bool>())
    all.push_back(report.at("largest_gain_factor").is_null()
                      ? "it is also stable with any larger gains"
                      : "it is stable with all gains up to " + figure("largest_gain_factor") + " times as large");
  if (!report.at("phase_from_deg").is_null())
    all.push_back("it tolerates phase errors of the identified response from " + figure("phase_from_deg") + " to " +
                  figure("phase_to_deg") + " deg");
  return all;
}

}  // namespace hyb
