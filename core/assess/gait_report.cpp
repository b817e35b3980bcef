#include "core/assess/gait_report.h"

#include <cmath>

#include "core/base/figure_text.h"
#include "core/run/build.h"

namespace hyb {
namespace {

Json jsonOf(const FoundGait& found) {
  return {{"start",
           {{"height_m", found.start.height_m},
            {"speed_m_per_s", found.start.speed_m_per_s},
            {"trunk_rad", found.start.trunk_rad},
            {"trunk_rate_rad_per_s", found.start.trunk_rate_rad_per_s}}},
          {"deviation", found.deviation},
          {"steps", found.steps},
          {"speed_variation", found.speed_variation},
          {"gait", found.gait}};
}

std::string walks(const FoundGait& found, const GaitSearch& search) {
  const std::string steps = "walks " + std::to_string(found.steps) + (found.steps == 1 ? " step" : " steps");
  if (found.gait) return steps + " and continues";
  return steps + (found.steps < search.steps ? " and no further" : ", but not evenly");
}

}  // namespace

Json gaitReport(const Project& project, const GaitAsked& asked) {
  const double tick_s = 1.0 / project.loop.rate_hz;
  const std::optional<Walker> walker = project.coupling->walker(buildPartition(project), project.integrator, tick_s);
  if (!walker)
    throw InputError("/coupling/scheme", "is \"" + std::string(project.coupling->name()) +
                                             "\", in which nobody walks; a gait is looked for with \"walker\".");
  GaitStart start = walker->start();
  if (asked.speed_m_per_s) start.speed_m_per_s = *asked.speed_m_per_s;
  if (!(std::isfinite(start.speed_m_per_s) && start.speed_m_per_s > 0.0))
    throw InputError("/coupling/start/speed_m_per_s",
                     "is " + Checks::text(start.speed_m_per_s, "m/s") + "; a walker goes forward: give one above 0.");
  GaitSearch search;
  search.seed = asked.seed;
  const Scheme scheme = project.integrator.scheme;
  const FoundGait own = walkedFrom(walker->params(), walker->start(), scheme, tick_s, search),
                  found = searchGait(walker->params(), start, scheme, tick_s, search);
  Json report = {{"project", jsonOf(own)}, {"found", jsonOf(found)}};
  report["sentence"] =
      "On two sound legs the walker of the project " + walks(own, search) + "; from a height of " +
      figureText(found.start.height_m, 6) + " m, " + figureText(found.start.speed_m_per_s, 6) + " m/s and " +
      figureText(found.start.trunk_rate_rad_per_s, 4) + " rad/s of the trunk it " + walks(found, search) + "." +
      (found.gait ? ""
                  : " No start at this speed comes back after a stride; take another speed (--speed), another angle of "
                    "touch-down, or a foot that rolls less.");
  return report;
}

}  // namespace hyb
