#include "hardware/clock_match.h"

#include <algorithm>

namespace hyb {

void ClockMatch::add(std::int64_t t1, std::int64_t t2, std::int64_t t3, std::int64_t t4) noexcept {
  constexpr std::int64_t kFarthest = std::int64_t{1}
                                     << 60;  // 36 years: larger values are no clock time and would overflow
  for (const std::int64_t t : {t1, t2, t3, t4})
    if (t > kFarthest || t < -kFarthest) return;
  const Sample sample{t4, ((t2 - t1) + (t3 - t4)) / 2, (t4 - t1) - (t3 - t2)};
  if (sample.round_trip_ns < 0) return;  // the clock was set in between
  recent_[samples_++ % recent_.size()] = sample;
  const auto end = recent_.begin() + static_cast<std::ptrdiff_t>(std::min(samples_, recent_.size()));
  offset_ns_ = std::min_element(recent_.begin(), end, [](const Sample& a, const Sample& b) {
                 return a.round_trip_ns < b.round_trip_ns;
               })->offset_ns;

  constexpr std::int64_t kSecond = 1'000'000'000;
  Sample& last = best_[(seconds_ + best_.size() - 1) % best_.size()];
  if (seconds_ == 0 || sample.at_ns / kSecond != last.at_ns / kSecond) {
    best_[seconds_++ % best_.size()] = sample;
    fitDrift();
  } else if (sample.round_trip_ns < last.round_trip_ns) {
    last = sample;
  }
}

/// Least squares through the best samples of each second, without the current second.
void ClockMatch::fitDrift() noexcept {
  if (seconds_ < 11) return;
  const std::size_t count = std::min(seconds_, best_.size()) - 1;
  const Sample& origin = best_[(seconds_ - 1) % best_.size()];
  double st = 0.0, so = 0.0, stt = 0.0, sto = 0.0;
  for (std::size_t k = 0; k < count; ++k) {
    const Sample& sample = best_[(seconds_ - 2 - k) % best_.size()];
    const auto t = static_cast<double>(sample.at_ns - origin.at_ns);
    const auto o = static_cast<double>(sample.offset_ns - origin.offset_ns);
    st += t;
    so += o;
    stt += t * t;
    sto += t * o;
  }
  const auto n = static_cast<double>(count);
  drift_ppm_ = 1e6 * (n * sto - st * so) / (n * stt - st * st);
}

}  // namespace hyb
