#include "core/transfer/sensor.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace hyb {

void checkSensor(Checks& checks, const SensorParams& params, const std::string& here, const std::string& unit,
                 const std::string& suffix) {
  checks.notNegative(here + "/noise_rms" + suffix, params.noise_rms, unit);
  if (!(params.range > 0.0))
    checks.fault(here + "/range" + suffix, params.range, unit,
                 "must be greater than " + Checks::text(0.0, unit) + "; leave it out for no limit");
  if (params.bits < 0 || params.bits > 32)
    checks.fault(here + "/bits",
                 "is " + std::to_string(params.bits) + "; must be between 1 and 32, or 0 for no quantisation");
  else if (params.bits > 0 && std::isinf(params.range))
    checks.fault(here + "/range" + suffix, "is missing; quantisation to " + std::to_string(params.bits) +
                                               " bits needs a range in " + unit + ": give one or set bits to 0");
}

NormalNoise::NormalNoise(std::uint64_t seed, std::uint32_t stream) {
  std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), stream};
  bits_.seed(sequence);
}

// Computed in blocks: logarithm, quotient and root of different pairs are independent, and no tick waits for them.
[[gnu::hot]] void NormalNoise::refill() noexcept {
  // Marsaglia's polar method; 53 random bits make a number in [-1, 1). A pair outside the circle is overwritten by the
  // next one: a branch on this random condition would be mispredicted.
  Eigen::Array<double, kAhead / 2, 1> squares, logarithms;
  for (Eigen::Index n = 0; n < squares.size();) {
    const double a = static_cast<double>(bits_() >> 11) * 0x1p-52 - 1.0;
    const double b = static_cast<double>(bits_() >> 11) * 0x1p-52 - 1.0;
    const double square = a * a + b * b;
    ahead_.col(n) << a, b;
    squares[n] = square;
    n += static_cast<Eigen::Index>(square < 1.0) & static_cast<Eigen::Index>(square != 0.0);
  }
  for (Eigen::Index n = 0; n < squares.size(); ++n) logarithms[n] = std::log(squares[n]);
  ahead_.rowwise() *= (-2.0 * logarithms / squares).sqrt().transpose();
  next_ = 0;
}

Sensor::Sensor(const SensorParams& params, std::uint64_t seed, std::uint32_t stream)
    : params_(params),
      step_(params.bits > 0 ? std::ldexp(2.0 * params.range, -params.bits) : 0.0),
      noise_(seed, stream) {}

// Two's complement: the largest code is one step below the range.
double Sensor::quantised(double value) const noexcept {
  return std::min(step_ * std::nearbyint(value / step_), params_.range - step_);
}

}  // namespace hyb
