#pragma once
#include <cstddef>
#include <span>

#include "core/base/numbers.h"

namespace hyb {

/// Repeatability of one quantity over the trials of a test. With the values q of n trials at the same time k since
/// their start, their mean m(k) and their standard deviation s(k) (divisor n - 1),
///   rms = sqrt(mean of s^2 over k),  percent = 100 rms / sqrt(mean of m^2 over k).
/// The quantity of Insam 2022, section 17.2, which compares three trials by eye.
struct TrialScatter {
  std::size_t trials = 0;
  double rms = kNoValue;      // in the unit of the quantity; NaN for fewer than two trials
  double percent = kNoValue;  // NaN also if the mean is 0 throughout
};
/// The trials end at the same time since their start; of a longer one, the first samples are left out. A NaN makes both
/// figures NaN.
TrialScatter trialScatter(std::span<const std::span<const double>> trials);

}  // namespace hyb
