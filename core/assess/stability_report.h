#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "core/project/project.h"

namespace hyb {

// Output of the command `stability`. Without a cut-off, that of stabilityRange is used.

/// Stability of the project's delayed loop. The critical delay, its crossings and the phase margins belong to the cut
/// with actuators of equal pure delay; actuator_critical_delays_s to a delay of one actuator alone. Stability and roots
/// belong to the project's own loop: each actuator with its own response, with compensation (loopSystem), or with
/// delay_s the cut with that delay on all. stable_added_delays_s: ranges of added delay on every actuator, from and to,
/// in which that loop is stable, up to added_delays_to_s. phase_margin is its smallest, null if it is unstable.
/// closes_loop: closesLoop(). If another program leads, only the delays are known: all of the loop is null or empty,
/// and "led" has state and sentence of LedStability.
Json stabilityReport(const Project& project, std::optional<double> delay_s = {}, std::optional<double> cutoff_hz = {});

/// Dynamic stiffness of both substructures at the interface, D_N and D_P, at equally spaced frequencies. One entry each
/// with frequency_hz, and [i, i] of re and im (N/m and the like) for numerical and physical; null where infinite.
Json dynamicStiffnessReport(const Project& project, double from_hz, double to_hz, int count);

/// Roots over equally spaced delays from..to: one list per delay, with the same order of branches in each; null where a
/// branch is not found.
Json locusReport(const Project& project, double from_s, double to_s, int count, std::optional<double> cutoff_hz = {});

/// Map of the cut position: critical delay at up to `points` positions (2 or more) of a cut by position, along the axis
/// of the project's own cut, else along the longer side of the structure. Throws InputError ("/structure/kind") for a
/// structure without positions. Stops early when progress(done, total) returns false.
Json interfaceMap(const Project& project, int points, std::optional<double> cutoff_hz = {}, int threads = 1,
                  const std::function<bool(std::size_t, std::size_t)>& progress = {});

/// Up to `points` node coordinates along x or y, ascending and evenly picked, without both ends.
std::vector<double> mapPositions(const Model& model, bool along_y, int points);

}  // namespace hyb
