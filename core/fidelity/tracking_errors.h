#pragma once
#include <span>

namespace hyb {

// How far what was achieved (z') is from what was commanded (z), after Insam 2022, sections 4.2 and 10.3.1 (note D3.6,
// D9.1). For the reference versions (reference error, maximum reference error) give the reference motion z^r instead of
// the command. Equally long records of one channel in one unit, positions from where the test started; all
// dimensionless, 0 = perfect. NaN: lengths differ, a sample is not a number, or the command stands still.

/// RMS(z - z') / max|z|. The definition of Part I, also quoted in Part II.
double rmsErrorByMax(std::span<const double> command, std::span<const double> achieved);
/// RMS(z - z') / RMS(z). The definition of Part II.
double rmsErrorByRms(std::span<const double> command, std::span<const double> achieved);
/// The error by maximum of the velocities, RMS(dz - dz') / max|dz|, both by central differences. Where velocities are
/// recorded, give them to rmsErrorByMax instead.
double velocityErrorByMax(std::span<const double> command, std::span<const double> achieved, double step_s);

}  // namespace hyb
