#pragma once
#include <cstdint>
#include <limits>
#include <vector>

namespace hyb {

/// A repeated test: /loop/trials of the project. Each trial is a complete test with excitation, soft start and soft
/// end. In the pause between two trials the command goes to rest and stays there.
struct TrialSpec {
  int count = 0;  // 0: the test runs once for LoopConfig::duration_s
  double length_s = 0.0, pause_s = 1.0;
  int stop_after_rises = 0;         // consecutive rises of the error that end the trials; 0: all trials run
  double stop_below_percent = 0.0;  // error of a trial that ends the trials; 0: none
  /// Duration of all trials with their pauses.
  double duration_s() const noexcept { return count * length_s + (count - 1) * pause_s; }
};

/// Ticks of each trial; its tick 0 is at rest.
std::int64_t trialTicks(const TrialSpec& spec, double step_s) noexcept;

/// A part of a test with its own clock.
struct Segment {
  static constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();
  std::int64_t ticks = kEndless;  // the last tick is its end
  int trial = 1;                  // from 1; for a pause, the trial before it
  bool at_rest = false;           // true for a pause
};

/// The segments of a test, created before arming, and the current position. An ordinary test has one segment.
class Programme {
 public:
  /// duration_s: length of the one segment of a test without trials; 0: endless.
  Programme(double step_s, double duration_s, const TrialSpec& trials);
  const Segment& now() const noexcept { return segments_[index_]; }
  /// Ticks since the segment started.
  std::int64_t ticks() const noexcept { return ticks_; }
  /// Advances one period. Returns true at the first period of the next segment. Real-time safe.
  bool advance() noexcept {
    const bool next = ticks_ >= segments_[index_].ticks && index_ + 1 < segments_.size();
    if (next) {
      ++index_;
      ticks_ = 0;
    }
    ++ticks_;
    return next;
  }
  /// True in the last period of the segment. Real-time safe.
  bool atEndOfSegment() const noexcept { return ticks_ == segments_[index_].ticks; }
  /// True if all segments end within this number of further periods. Real-time safe.
  bool over(std::int64_t periods) const noexcept {
    return ticks_ + periods > segments_[index_].ticks && overBefore(ticks_ + periods);
  }

 private:
  /// True if all segments end within this number of ticks of the present and the following segments.
  bool overBefore(std::int64_t at) const noexcept;
  std::vector<Segment> segments_;
  std::size_t index_ = 0;
  std::int64_t ticks_ = 0;
};

}  // namespace hyb
