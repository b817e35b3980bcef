#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "core/project/project.h"

namespace hyb {

// What the command `stability` prints. Without a cut-off: four times the tenth natural frequency, at most half the
// loop's rate.

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
