#include "core/fidelity/record.h"

#include <algorithm>
#include <cmath>

#include "core/base/numbers.h"

namespace hyb {

bool readable(std::span<const double> samples, std::size_t fewest) noexcept {
  return samples.size() >= fewest &&
         std::all_of(samples.begin(), samples.end(), [](double value) { return std::isfinite(value); });
}

bool comparable(std::span<const double> a, std::span<const double> b, std::size_t fewest) noexcept {
  return a.size() == b.size() && readable(a, fewest) && readable(b, fewest);
}

double rms(std::span<const double> samples) noexcept {
  if (samples.empty()) return kNoValue;
  double squares = 0.0;
  for (const double value : samples) squares += value * value;
  return std::sqrt(squares / static_cast<double>(samples.size()));
}

double largest(std::span<const double> samples) noexcept {
  if (samples.empty()) return kNoValue;
  double peak = 0.0;
  for (const double value : samples) peak = std::max(peak, std::abs(value));
  return peak;
}

double spread(std::span<const double> samples) noexcept {
  if (samples.empty()) return kNoValue;
  const auto count = static_cast<double>(samples.size());
  double mean = 0.0, squares = 0.0;
  for (const double value : samples) mean += (value - samples[0]) / count;  // exactly 0 for a constant
  for (const double value : samples) squares += (value - samples[0] - mean) * (value - samples[0] - mean);
  return std::sqrt(squares / count);
}

}  // namespace hyb
