#include <algorithm>
#include <cmath>

#include "core/assess/loop_analysis.h"
#include "core/base/checks.h"
#include "core/project/schema.h"
#include "core/run/build.h"
#include "core/study/face_campaign.h"

namespace hyb {
namespace {

/// The loop of the test without added delay.
struct BestTest {
  double lag_s;                    // lag of the slowest actuator minus compensation; at least 0
  std::optional<double> margin_s;  // delay margin: further delay on every actuator up to instability
};

BestTest bestTest(Project project) {
  project.compensation.added_delay_s.setZero();  // replaced by the plan's values
  const Partition partition = buildPartition(project);
  LoopAnalysis analysis(project, partition);
  BestTest best{std::max(0.0, analysis.delay.latest().remaining_s()), {}};
  if (!closesLoop(project)) return best;
  if (const std::optional<Crossing> margin = analysis.margin()) best.margin_s = margin->delay_s;
  return best;
}

/// Evenly spaced from no added delay up to a safe share of the delay margin, or, if no delay makes the loop unstable,
/// up to the present lag of the loop (at least 10 ticks).
std::vector<double> plannedDelays(const Project& project, const FaceSpec& spec, const BestTest& best) {
  double most_s = std::max(best.lag_s, 10.0 / project.loop.rate_hz);
  if (best.margin_s) {
    if (!(*best.margin_s > 0.0))
      throw InputError("/analysis/face",
                       "cannot plan added delays: the loop has a delay of " + Checks::text(1e3 * best.lag_s, "ms") +
                           " and is already unstable; increase the compensation, or give \"values\".");
    most_s = std::min(most_s, 0.01 * spec.safe_percent * *best.margin_s);
  }
  std::vector<double> values;
  for (int i = 0; i < spec.count; ++i) values.push_back(most_s * i / (spec.count - 1));
  return values;
}

/// Title and unit of a place, from the schema.
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
                     "is missing: this project does not define the varied values and the quantity of FACE; add it "
                     "under Analysis, or start from the template face-linear.");
  if (project.loop.duration_s <= 0.0)
    throw InputError("/loop/duration_s", "is 0 s, a test without an end; FACE needs tests with a duration; give one.");
  FacePlan plan;
  plan.pointers = spec->pointers;
  plan.seeds = spec->seeds;
  plan.delay = spec->addsDelay();
  nameVaried(*spec, project.document, plan);
  plan.values = spec->values;
  if (plan.delay) {
    const BestTest best = bestTest(project);
    plan.margin_s = best.margin_s;
    if (plan.values.empty()) plan.values = plannedDelays(project, *spec, best);
    std::sort(plan.values.begin(), plan.values.end());  // the safe order, independent of the given one
  }
  return plan;
}

}  // namespace hyb
