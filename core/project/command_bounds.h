#pragma once
#include <string>
#include <vector>

#include "core/project/project.h"

namespace hyb {

/// Bounds on the rate of the command, for every axis without a declared one: ramping limits in Project::command_bounds
/// with their source in Limit::origin, and the braking acceleration in LoopConfig::braking. For a valid project with
/// its axes.
void boundCommands(Project& project);
/// Removes the bounds, for files that were recorded before such bounds existed.
void leaveCommandsUnbounded(Project& project);

/// Limits that a loop monitors: those of the project, followed by its bounds on the command.
std::vector<Limit> watchedLimits(const Project& project);
/// Largest motion that limits with an action leave to command or measured of axis i, in its unit; infinite: unbounded.
double largestMotion(const Project& project, std::size_t i);
/// True if a limit that does more than indicate bounds the rate of the command of axis i.
bool commandIsBounded(const Project& project, std::size_t i);
/// Bound on the rate of the command of axis i from any source: the tightest limits that do more than indicate, else the
/// derived bound. Infinite: unbounded.
struct ChangeBounds {
  double step, rate;  // per tick; per second
  std::string unit, rate_unit;
  std::string words;  // both, with their source
};
std::vector<ChangeBounds> changeBounds(Project project);
/// Each derived bound with its source; "" if there is none.
std::string derivedBoundWords(const Project& project);
/// "50 m/s2", per axis if they differ; "" without braking.
std::string brakingWords(const Project& project);

}  // namespace hyb
