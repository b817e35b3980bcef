#include "core/fidelity/susceptibility.h"

#include <algorithm>
#include <cmath>

#include "core/base/minimum.h"

namespace hyb {

double Susceptibility::norm_db() const { return 20.0 * std::log10(norm); }

double distortion(std::complex<double> open_loop, std::complex<double> actuator) {
  const double gain = std::abs(open_loop);
  if (std::isinf(gain)) return std::abs(actuator - 1.0);
  if (gain > 1.0) return std::abs((actuator - 1.0) / (1.0 + 1.0 / open_loop));  // exact for large gains
  return std::abs((actuator - 1.0) * open_loop / (1.0 + open_loop));
}

std::optional<Susceptibility> susceptibility(std::span<const double> frequency_hz,
                                             std::span<const std::complex<double>> open_loop,
                                             std::span<const std::complex<double>> actuator) {
  if (frequency_hz.empty() || open_loop.size() != frequency_hz.size() || actuator.size() != frequency_hz.size())
    return std::nullopt;
  Susceptibility worst{-1.0, 0.0};
  for (std::size_t k = 0; k < frequency_hz.size(); ++k) {
    const double value = distortion(open_loop[k], actuator[k]);
    if (std::isnan(value) || !std::isfinite(frequency_hz[k])) return std::nullopt;
    if (value > worst.norm) worst = {value, frequency_hz[k]};
  }
  return worst;
}

std::optional<Susceptibility> susceptibility(const FrequencyResponse& open_loop, const FrequencyResponse& actuator,
                                             double from_hz, double to_hz, std::size_t points) {
  if (!(from_hz > 0.0) || !(to_hz > from_hz) || !std::isfinite(to_hz) || points < 3) return std::nullopt;
  const double step = std::log(to_hz / from_hz) / static_cast<double>(points - 1);
  std::vector<double> grid_hz(points);
  std::vector<std::complex<double>> loop(points), plant(points);
  for (std::size_t k = 0; k < points; ++k) {
    grid_hz[k] = from_hz * std::exp(step * static_cast<double>(k));
    loop[k] = open_loop(grid_hz[k]);
    plant[k] = actuator(grid_hz[k]);
  }
  std::optional<Susceptibility> worst = susceptibility(grid_hz, loop, plant);
  if (!worst) return std::nullopt;
  const auto value = [&](double log_hz) { return distortion(open_loop(std::exp(log_hz)), actuator(std::exp(log_hz))); };
  const double low = std::log(std::max(from_hz, worst->frequency_hz * std::exp(-step)));
  const double high = std::log(std::min(to_hz, worst->frequency_hz * std::exp(step)));
  const auto [at, less] = minimumOf([&](double log_hz) { return -value(log_hz); }, low, high);
  if (-less > worst->norm) worst = Susceptibility{-less, std::exp(at)};
  return worst;
}

}  // namespace hyb
