#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace hyb {

/// Offset and drift of a device's clock against ours, from questions and answers: sent at t1 (our clock), received t2
/// and answered t3 (its clock), back at t4 (ours). offset = ((t2 - t1) + (t3 - t4)) / 2, round trip = (t4 - t1) - (t3 -
/// t2). Uses the sample with the shortest round trip of the last 64. The drift is the slope of the best samples over
/// the last minute. Corrects nothing by itself. Real-time safe.
class ClockMatch {
 public:
  void add(std::int64_t t1, std::int64_t t2, std::int64_t t3, std::int64_t t4) noexcept;
  bool known() const noexcept { return samples_ > 0; }
  std::int64_t offsetNs() const noexcept { return offset_ns_; }  // device minus ours
  double driftPpm() const noexcept { return drift_ppm_; }        // growth of the offset; 0 during the first ten seconds
  void reset() noexcept { *this = {}; }

 private:
  struct Sample {
    std::int64_t at_ns, offset_ns, round_trip_ns;
  };
  void fitDrift() noexcept;
  std::array<Sample, 64> recent_{};
  std::size_t samples_ = 0;
  std::int64_t offset_ns_ = 0;
  std::array<Sample, 60> best_{};  // shortest round trip of each second
  std::size_t seconds_ = 0;
  double drift_ppm_ = 0.0;
};

}  // namespace hyb
