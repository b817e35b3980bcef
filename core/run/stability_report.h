#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "core/project/project.h"

namespace hyb {

/// How far stability looks: frequencies up to the cut-off, delays up to two periods of the lowest mode.
struct StabilityRange {
  double lowest_hz, cutoff_hz, max_delay_s;
};
/// natural_hz: lowest modes of the reference structure, ascending. The cut-off is what the project asks for
/// (/analysis/stability_cutoff_hz), else four times the tenth natural frequency, at most a tenth of the loop's rate:
/// faster motion has fewer than ten ticks a cycle, and loops with mass on both sides always go unstable somewhere up
/// there.
StabilityRange stabilityRange(const Eigen::VectorXd& natural_hz, double rate_hz, std::optional<double> cutoff_hz);

// What the command `stability` prints. Without a cut-off: that of stabilityRange.

/// Stability of the project's delayed loop. delay_s: the delay analysed; default: the project's own (loopDelayParts).
Json stabilityReport(const Project& project, std::optional<double> delay_s = {}, std::optional<double> cutoff_hz = {});

/// Roots over equally spaced delays from..to, one list per delay, in the same order of branches in each; null where a
/// branch is not found.
Json locusReport(const Project& project, double from_s, double to_s, int count, std::optional<double> cutoff_hz = {});

/// "Where may I cut?": critical delay over up to `points` places (2 or more) of a cut by position, along the axis of
/// the project's own cut, else along the longer side of the structure. Throws InputError ("/structure/kind") for a
/// structure without places. Stops early when progress(done, total) returns false.
Json interfaceMap(const Project& project, int points, std::optional<double> cutoff_hz = {}, int threads = 1,
                  const std::function<bool(std::size_t, std::size_t)>& progress = {});

/// Up to `points` node coordinates along x or y, ascending and evenly picked, with both ends left out.
std::vector<double> mapPositions(const Model& model, bool along_y, int points);

}  // namespace hyb
