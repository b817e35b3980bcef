#pragma once
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/assess/stability_report.h"
#include "core/base/numbers.h"
#include "core/data/table.h"
#include "core/loop/row.h"
#include "core/project/project.h"
#include "core/study/memory_run.h"

namespace hyb::test {

/// A template with a further delay of its actuators.
struct GrowthCase {
  const char* name;
  double most_delay_s;           // largest further delay; the draws are uniform from 0 on
  bool adapts;                   // its compensation reacts to the delay: only the run shows whether the loop is stable
  bool becomes_unstable = true;  // within these delays
};
inline constexpr GrowthCase kGrowthCases[] = {{"three-mass", 0.025, true},
                                              {"benchmark-2020-sample", 0.014, false},
                                              {"face-linear-mass", 0.08, false},
                                              {"face-linear-general", 0.13, false},
                                              {"force-shear-building", 0.05, false, false}};

enum class LoopKind : std::uint8_t {
  stable,
  slow,     // unstable, but the test ends before a limit is reached
  unstable  // a limit other than the energy growth ends the test
};

struct GrowthDraw {
  LoopKind kind = LoopKind::stable;
  double delay_s = 0.0, limit_s = kNoValue;  // time at which the limit is reached
  double seen_s = kNoValue;                  // time at which a limit on the energy growth stops the test; NaN: never
};

/// Time of the last row in which the loop is closed.
inline double closed_s(const Table& trace, double rate_hz) {
  const std::vector<double> flags = trace.column(placeOf(trace, ColumnRole::flags));
  return static_cast<double>(std::ranges::find_if_not(flags, coupled) - flags.begin()) / rate_hz;
}

/// Runs the project with a limit on the energy growth that stops the test, as the templates indicate it.
inline MemoryRun runStopping(Json document) {
  Json& limits = document["safety"]["limits"];
  std::erase_if(limits.get_ref<Json::array_t&>(),
                [](const Json& limit) { return limit.at("quantity") == "energy-growth"; });
  limits.push_back({{"quantity", "energy-growth"}, {"threshold_per_s", 1}, {"action", "stop"}});
  const StopToken stop;
  return runInMemory(parseProject(document), Pace::free_run, true, stop, false, {}, false);
}

/// Runs the template with a seeded further delay twice: with its limit on the energy growth, which indicates, and with
/// one that stops the test.
inline GrowthDraw drawGrowth(const GrowthCase& of, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  GrowthDraw draw;
  draw.delay_s = of.most_delay_s * std::uniform_real_distribution<>(0.0, 1.0)(random);
  Json document = templateDocument(of.name);
  for (Json& actuator : document["rig"]["actuators"])
    actuator["delay_s"] = actuator.value("delay_s", 0.0) + draw.delay_s;
  document["rig"]["seed"] = seed;
  const Project project = parseProject(document);
  const StopToken stop;
  const MemoryRun indicated = runInMemory(project, Pace::free_run, true, stop, false, {}, false);
  if (indicated.reason == EndReason::limit) {
    draw.kind = LoopKind::unstable;
    draw.limit_s = closed_s(indicated.trace, project.loop.rate_hz);
  } else if (!of.adapts && stabilityReport(project).at("discrete").at("grows").get<bool>()) {
    draw.kind = LoopKind::slow;
  }
  const MemoryRun stopped = runStopping(document);
  if (stopped.stop_reason.find("energy growth") != std::string::npos)
    draw.seen_s = closed_s(stopped.trace, project.loop.rate_hz);
  return draw;
}

}  // namespace hyb::test
