#pragma once
#include <span>

namespace hyb {

// Criteria of the multi-axial benchmark. Equally long records of one motion. NaN: lengths differ, a sample is not a
// number, or `wanted` is constant.
// Source: Condori Uribe et al., Front. Built Environ. 9 (2023) 1270996, and the public scripts of its evaluation.

/// 100 sd(seen - wanted) / sd(wanted), standard deviations about the mean.
double deviationPercent(std::span<const double> wanted, std::span<const double> seen);
/// 100 max|seen - wanted| / max|wanted|.
double largestPercent(std::span<const double> wanted, std::span<const double> seen);
/// Whole ticks by which `seen` is later: the lag of the largest magnitude of the cross-correlation over all lags; of
/// equal ones the smallest lag.
double delayTicks(std::span<const double> wanted, std::span<const double> seen);

}  // namespace hyb
