#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "core/project/project.h"

namespace hyb {

// What the command `stability` prints. Without a cut-off: that of stabilityRange.

/// Stability of the project's delayed loop. The critical delay, its crossings and the phase margins are those of the
/// cut with actuators that are late alone, all by the same; actuator_critical_delays_s with each alone late. What is
/// said of stability and roots is the project's own loop, each actuator with its own response, compensation included
/// (loopSystem), or with delay_s the cut with that delay on all. stable_added_delays_s: with which delays more on every
/// actuator, from and to, that loop is stable, looked at up to added_delays_to_s. phase_margin is its least, null
/// where it is unstable.
Json stabilityReport(const Project& project, std::optional<double> delay_s = {}, std::optional<double> cutoff_hz = {});

/// Dynamic stiffness of both sides at the interface, D_N and D_P, at equally spaced frequencies: one entry each with
/// frequency_hz, and [i, i] of re and im (N/m and the like) for numerical and physical; null where it is infinite.
Json dynamicStiffnessReport(const Project& project, double from_hz, double to_hz, int count);

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
