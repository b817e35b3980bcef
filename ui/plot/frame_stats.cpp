#include "ui/plot/frame_stats.h"

#include <algorithm>
#include <vector>

namespace hyb::ui {

void FrameStats::add(Clock::time_point start, Clock::time_point end) noexcept {
  start_[next_] = start;
  cost_ms_[next_] = std::chrono::duration<float, std::milli>(end - start).count();
  next_ = (next_ + 1) % kKept;
  count_ = std::min(count_ + 1, kKept);
}

double FrameStats::quantileMs(double share) const {
  if (count_ == 0) return 0.0;
  std::vector<float> sorted(cost_ms_.begin(), cost_ms_.begin() + static_cast<std::ptrdiff_t>(count_));
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(count_ - 1));
  std::nth_element(sorted.begin(), sorted.begin() + at, sorted.end());
  return static_cast<double>(sorted[static_cast<std::size_t>(at)]);
}

double FrameStats::medianMs() const { return quantileMs(0.5); }
double FrameStats::p99Ms() const { return quantileMs(0.99); }

double FrameStats::framesPerSecond() const noexcept {
  const std::size_t recent = std::min<std::size_t>(count_, 60);
  if (recent < 2) return 0.0;
  const std::size_t newest = (next_ + kKept - 1) % kKept, oldest = (next_ + kKept - recent) % kKept;
  const double seconds = std::chrono::duration<double>(start_[newest] - start_[oldest]).count();
  return seconds > 0.0 ? static_cast<double>(recent - 1) / seconds : 0.0;
}

void FrameGovernor::add(double frame_ms) noexcept {
  constexpr double kSlow_ms = 12.0, kQuiet_ms = 8.0;
  constexpr int kQuietFrames = 300;
  slow_ = frame_ms > kSlow_ms ? slow_ + 1 : 0;
  quiet_ = frame_ms < kQuiet_ms ? quiet_ + 1 : 0;
  if (slow_ >= 2 && level_ < 2) {
    ++level_;
    slow_ = 0;
  } else if (quiet_ >= kQuietFrames && level_ > 0) {
    --level_;
    quiet_ = 0;
  }
}

}  // namespace hyb::ui
