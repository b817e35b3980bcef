#include "core/signal/calculus.h"

namespace hyb {

std::vector<double> rates(std::span<const double> samples, double step_s) {
  const std::size_t n = samples.size();
  if (n < 3 || !(step_s > 0.0)) return {};
  std::vector<double> rate(n);
  for (std::size_t k = 1; k + 1 < n; ++k) rate[k] = (samples[k + 1] - samples[k - 1]) / (2.0 * step_s);
  rate[0] = (-3.0 * samples[0] + 4.0 * samples[1] - samples[2]) / (2.0 * step_s);
  rate[n - 1] = (3.0 * samples[n - 1] - 4.0 * samples[n - 2] + samples[n - 3]) / (2.0 * step_s);
  return rate;
}

std::vector<double> integral(std::span<const double> samples, double step_s) {
  std::vector<double> sums(samples.size(), 0.0);
  for (std::size_t k = 1; k < samples.size(); ++k) sums[k] = sums[k - 1] + 0.5 * step_s * (samples[k - 1] + samples[k]);
  return sums;
}

}  // namespace hyb
