#pragma once
#include <Eigen/Core>
#include <algorithm>
#include <boost/random/mersenne_twister.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/checks.h"
#include "core/transfer/params.h"

namespace hyb {

/// Adds every fault of a sensor; `here` is its pointer ("/rig/displacement_sensor"), `suffix` ("_m") ends its keys.
void checkSensor(Checks& checks, const SensorParams& params, const std::string& here, const std::string& unit,
                 const std::string& suffix);

/// Normally distributed numbers, the same for a seed on every standard library (polar method on mt19937_64).
class NormalNoise {
 public:
  /// One independent stream per number `stream`.
  NormalNoise(std::uint64_t seed, std::uint32_t stream);
  /// Mean 0, rms 1. Real-time safe.
  double next() noexcept {
    if (next_ == kAhead) refill();
    return ahead_.data()[next_++];
  }

 private:
  static constexpr int kAhead = 32;
  void refill() noexcept;

  boost::random::mt19937_64 bits_;  // the sequence of std::mt19937_64, generated inline
  Eigen::Array<double, 2, kAhead / 2> ahead_ = Eigen::Array<double, 2, kAhead / 2>::Zero();  // pair by pair
  int next_ = kAhead;
};

/// White noise, saturation, quantisation, in this order.
class Sensor {
 public:
  Sensor(const SensorParams& params, std::uint64_t seed, std::uint32_t stream);
  /// One reading. Real-time safe.
  double sense(double value) noexcept {
    if (params_.noise_rms > 0.0) value += params_.noise_rms * noise_.next();
    saturated_ = std::abs(value) > params_.range;
    value = std::clamp(value, -params_.range, params_.range);
    return step_ > 0.0 ? quantised(value) : value;
  }
  /// True if the last reading was limited to the range.
  bool saturated() const noexcept { return saturated_; }

 private:
  double quantised(double value) const noexcept;

  SensorParams params_;
  double step_ = 0.0;  // of the quantisation; 0: none
  NormalNoise noise_;
  bool saturated_ = false;
};

}  // namespace hyb
