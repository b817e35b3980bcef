#include "core/fidelity/multi_axial.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "core/base/numbers.h"
#include "core/fidelity/record.h"
#include "core/signal/dft.h"

namespace hyb {
namespace {

/// Root of the sum of squares about the mean.
template <typename Sample>
double spreadOf(std::size_t count, Sample&& sample) {
  double mean = 0.0, squares = 0.0;
  for (std::size_t k = 0; k < count; ++k) mean += sample(k) / static_cast<double>(count);
  for (std::size_t k = 0; k < count; ++k) squares += (sample(k) - mean) * (sample(k) - mean);
  return std::sqrt(squares);
}

}  // namespace

double deviationPercent(std::span<const double> wanted, std::span<const double> seen) {
  if (!comparable(wanted, seen)) return kNoValue;
  const double size = spreadOf(wanted.size(), [&](std::size_t k) { return wanted[k]; });
  if (!(size > 0.0)) return kNoValue;
  return 100.0 * spreadOf(wanted.size(), [&](std::size_t k) { return seen[k] - wanted[k]; }) / size;
}

double largestPercent(std::span<const double> wanted, std::span<const double> seen) {
  if (!comparable(wanted, seen)) return kNoValue;
  double size = 0.0, error = 0.0;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    size = std::max(size, std::abs(wanted[k]));
    error = std::max(error, std::abs(seen[k] - wanted[k]));
  }
  return size > 0.0 ? 100.0 * error / size : kNoValue;
}

double delayTicks(std::span<const double> wanted, std::span<const double> seen) {
  if (!comparable(wanted, seen)) return kNoValue;
  const std::size_t count = wanted.size();
  std::size_t padded = 1;
  while (padded < 2 * count) padded *= 2;
  std::vector<double> a(padded, 0.0), b(padded, 0.0);
  std::ranges::copy(wanted, a.begin());
  std::ranges::copy(seen, b.begin());
  Dft transform(padded);
  const auto of_wanted = transform(a), of_seen = transform(b);
  // The inverse transform of the spectrum S, from transforms of its real part, which is even, and of its imaginary
  // part, which is odd.
  for (std::size_t k = 0; k < of_wanted.size(); ++k) {
    const std::complex<double> s = of_seen[k] * std::conj(of_wanted[k]);
    const std::size_t mirrored = (padded - k) % padded;
    a[k] = a[mirrored] = s.real();
    b[mirrored] = -s.imag();
    b[k] = s.imag();
  }
  b[0] = b[padded / 2] = 0.0;
  const auto even = transform(a), odd = transform(b);
  double largest = 0.0, delay = kNoValue;
  for (std::size_t lag = 0; lag < count; ++lag)
    for (const int sign : {1, -1}) {
      const double correlation = std::abs(even[lag].real() + sign * odd[lag].imag());
      if (!(correlation > largest * (1.0 + 1e-12))) continue;
      largest = correlation;
      delay = sign * static_cast<double>(lag);
    }
  return delay;
}

}  // namespace hyb
