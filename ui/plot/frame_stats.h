#pragma once
#include <array>
#include <chrono>
#include <cstddef>

namespace hyb::ui {

/// Cost of drawing: time from the start of a frame until its pixels are in the window, over the last 600 frames.
class FrameStats {
 public:
  using Clock = std::chrono::steady_clock;
  void add(Clock::time_point start, Clock::time_point end) noexcept;
  std::size_t frames() const noexcept { return count_; }
  double medianMs() const;
  double p99Ms() const;
  double framesPerSecond() const noexcept;
  void clear() noexcept { count_ = next_ = 0; }

 private:
  static constexpr std::size_t kKept = 600;
  double quantileMs(double share) const;
  std::array<float, kKept> cost_ms_{};
  std::array<Clock::time_point, kKept> start_{};
  std::size_t count_ = 0, next_ = 0;
};

/// Keeps the window responsive: drops antialiasing, then every second frame, if frames take more than 12 ms twice in a
/// row; restores both after a quiet period. Never drops samples.
class FrameGovernor {
 public:
  void add(double frame_ms) noexcept;
  bool antialiasing() const noexcept { return level_ == 0; }
  bool halfRate() const noexcept { return level_ == 2; }

 private:
  int level_ = 0, slow_ = 0, quiet_ = 0;
};

}  // namespace hyb::ui
