#include <algorithm>
#include <cmath>

#include "core/assess/loop_delay.h"
#include "core/assess/stability_report.h"
#include "core/checks.h"
#include "core/project/schema.h"
#include "core/run/build.h"
#include "core/structure/modes.h"
#include "core/study/face_campaign.h"

namespace hyb {
namespace {

constexpr Eigen::Index kModes = 10;  // of the reference structure, for the cut-off

/// Critical delay of the loop and the delay it has already, compensation taken off.
void judgeStability(const Project& project, FacePlan& plan) {
  const Partition partition = buildPartition(project);
  const StabilityRange range = stabilityRange(lowestModes(partition.reference, kModes).frequency_hz,
                                              project.loop.rate_hz, project.analysis.stability_cutoff_hz);
  const std::optional<Crossing> critical =
      criticalDelay(cutSystem(project, partition), range.cutoff_hz, range.max_delay_s);
  const double own_s =
      loopDelay(project, partition, critical ? critical->frequency_hz : range.lowest_hz).latest().remaining_s();
  plan.own_delay_s = std::max(0.0, own_s);
  if (critical) plan.critical_delay_s = critical->delay_s;
}

/// Evenly spaced from no added delay: up to a safe share of what is left, or as much again as the loop has (at least
/// 10 ticks) where no delay makes it unstable.
std::vector<double> plannedDelays(const Project& project, const FaceSpec& spec, const FacePlan& plan) {
  double most_s = std::max(*plan.own_delay_s, 10.0 / project.loop.rate_hz);
  if (plan.critical_delay_s) {
    const double left_s = *plan.critical_delay_s - *plan.own_delay_s;
    if (!(left_s > 0.0))
      throw InputError("/analysis/face",
                       "cannot plan added delays: the loop lags by " + Checks::text(1e3 * *plan.own_delay_s, "ms") +
                           " already and the stability limit is " + Checks::text(1e3 * *plan.critical_delay_s, "ms") +
                           "; compensate more, or give \"values\".");
    most_s = std::min(most_s, 0.01 * spec.safe_percent * left_s);
  }
  std::vector<double> values;
  for (int i = 0; i < spec.count; ++i) values.push_back(most_s * i / (spec.count - 1));
  return values;
}

/// Title and unit of a place, as the schema names them.
void nameVaried(const FaceSpec& spec, const Json& document, FacePlan& plan) {
  const std::string& pointer = spec.pointers.front();
  const Json& schema = schemaOf(document, pointer);
  plan.title = schema.value("title", pointer.substr(pointer.rfind('/') + 1));
  plan.units = schema.value("x-unit", "");
}

}  // namespace

FacePlan planFace(const Project& project) {
  const std::optional<FaceSpec> spec = faceSpec(project.document);
  if (!spec)
    throw InputError("/analysis/face",
                     "is missing: this project does not say what FACE varies and watches; add it "
                     "under Analysis, or start from the template face-linear.");
  if (project.loop.duration_s <= 0.0)
    throw InputError("/loop/duration_s",
                     "is 0 s, a test without an end; FACE needs tests that end, so give a duration.");
  FacePlan plan;
  plan.pointers = spec->pointers;
  plan.seeds = spec->seeds;
  plan.delay = spec->addsDelay();
  nameVaried(*spec, project.document, plan);
  judgeStability(project, plan);
  plan.values = spec->values.empty() ? plannedDelays(project, *spec, plan) : spec->values;
  if (plan.delay) std::sort(plan.values.begin(), plan.values.end());  // the safe order, however they are given
  return plan;
}

}  // namespace hyb
