#pragma once
#include <string>
#include <vector>

#include "core/project/project.h"

namespace hyb {

/// Bounds on how fast the command may change, on every axis for which the project declares none: limits in
/// Project::command_bounds that ramp and say in Limit::origin what they were taken from, and the acceleration of
/// braking in LoopConfig::braking. Of a sound project with its axes.
void boundCommands(Project& project);
/// As projects were before there were such bounds: of files that were recorded then.
void leaveCommandsUnbounded(Project& project);

/// What a loop watches: the limits of the project, then its bounds on the command.
std::vector<Limit> watchedLimits(const Project& project);
/// A limit that acts is on how fast the command of axis i may change.
bool commandIsBounded(const Project& project, std::size_t i);
/// How fast the command of axis i may change, whoever gives it: the tightest limits that do more than indicate, else
/// what would be derived. Infinite: unbounded.
struct ChangeBounds {
  double step, rate;  // in one tick; a second
  std::string unit, rate_unit;
  std::string words;  // both with what they were taken from
};
std::vector<ChangeBounds> changeBounds(Project project);
/// Each bound that was derived, with what it was taken from; "" where there is none.
std::string derivedBoundWords(const Project& project);
/// "50 m/s2", of each axis where they differ; "" where nothing is braked.
std::string brakingWords(const Project& project);

}  // namespace hyb
