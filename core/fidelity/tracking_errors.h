#pragma once
#include <span>

namespace hyb {

// Deviation of the achieved (z') from the commanded motion (z), after Insam 2022, sections 4.2 and 10.3.1 (note D3.6,
// D9.1). For the reference versions (reference error, maximum reference error) pass the reference motion z^r instead of
// the command. Equally long records of one channel in one unit, positions relative to the start of the test; all
// dimensionless, 0 = perfect. NaN: lengths differ, a sample is not a number, or the command is constant.

/// RMS(z - z') / max|z|. The definition of Part I, also quoted in Part II.
double rmsErrorByMax(std::span<const double> command, std::span<const double> achieved);
/// RMS(z - z') / RMS(z). The definition of Part II.
double rmsErrorByRms(std::span<const double> command, std::span<const double> achieved);
/// The error by maximum of the velocities, RMS(dz - dz') / max|dz|, both by central differences. For recorded
/// velocities use rmsErrorByMax instead.
double velocityErrorByMax(std::span<const double> command, std::span<const double> achieved, double step_s);

}  // namespace hyb
