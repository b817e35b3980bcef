#pragma once
#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "core/study/memory_run.h"
#include "tests/support/leg_twin.h"

namespace hyb::test {

/// A template of the linear release with some values changed ("/pointer=VALUE").
inline Project linearProject(const std::string& name, const std::vector<std::string>& changes = {}) {
  Json document = templateDocument(name);
  for (const std::string& change : changes) setValue(document, change);
  return parseProject(document);
}

/// What turns face-linear-general, which is system 1, into system 2.
inline std::vector<std::string> systemTwo(std::vector<std::string> changes = {}) {
  changes.insert(changes.end(),
                 {"/structure/links/0/stiffness_n_per_m=13512", "/structure/links/1/stiffness_n_per_m=177",
                  "/partition/physical/m=[[0.5]]", "/partition/physical/k=[[177]]"});
  return changes;
}
inline const std::string kFeedforward = "/rig/actuators/0/velocity_feedforward=true";
inline std::string addedDelay(double delay_s) { return "/compensation/added_delay_s=" + std::to_string(delay_s); }

/// The run of a project on the product's loop and twin, from the row at which its analysis starts, which is one tick
/// after the release as in legTwin(); the force is that on the specimen, without its weight; the
/// reference that of the uncut structure.
struct LinearRun {
  std::vector<double> command, achieved, force, reference;
};
inline LinearRun linearRun(const Project& project, std::size_t samples) {
  const StopToken stop;
  const MemoryRun run = runInMemory(project, Pace::free_run, true, stop);
  const auto first = static_cast<std::size_t>(std::lround(project.analysis.start_s * project.loop.rate_hz));
  const auto column = [&](const std::string& name) {
    const std::optional<std::size_t> place = find(run.trace, name);
    const std::uint64_t from = std::min<std::uint64_t>(first, run.trace.rows),
                        end = std::min<std::uint64_t>(first + samples, run.trace.rows);
    return place ? run.trace.read(*place, from, end - from) : std::vector<double>();
  };
  LinearRun result{column("target_1"), column("measured_1"), column("force_1"), column("reference_1")};
  for (double& force : result.force) force = -force;
  return result;
}

}  // namespace hyb::test
