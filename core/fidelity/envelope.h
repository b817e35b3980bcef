#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace hyb {

/// Smallest and largest sample within half a window to either side, [n] each, unit of the samples.
struct Envelope {
  std::vector<double> lower, upper;
};
/// Sliding extremes in O(n), e.g. of the gap z - x: `window` samples about each (an even window counts one more), cut
/// off at the ends. Samples that are not numbers are passed over; NaN where a window holds no other. The window of the
/// whole oscillation is one period: a shorter one follows the motion itself.
Envelope envelope(std::span<const double> samples, std::size_t window);

}  // namespace hyb
