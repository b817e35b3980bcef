#pragma once
#include <functional>

#include "core/base/numbers.h"

namespace hyb {

/// Lowest frequency, Hz, up to which a response is `within` its requirement. The search starts at one thousandth of
/// `highest_hz`. NaN if the response is within it up to `highest_hz`. `step`: violations between two neighbouring
/// points are not seen.
inline double firstBeyond(const std::function<bool(double hz)>& within, double highest_hz, double step = 1.05) {
  double inside_hz = 0.0, hz = 1e-3 * highest_hz;
  for (; hz <= highest_hz && within(hz); hz *= step) inside_hz = hz;
  if (!(hz <= highest_hz)) return kNoValue;
  for (int k = 0; k < 50; ++k) {
    const double middle = 0.5 * (inside_hz + hz);
    (within(middle) ? inside_hz : hz) = middle;
  }
  return hz;
}

}  // namespace hyb
