#pragma once
#include <cstdint>
#include <limits>
#include <vector>

namespace hyb {

/// A test that is repeated: /loop/trials of the project. Each trial is a whole test of its own, with excitation, soft
/// start and soft end from the beginning; in a pause between two the command goes to rest and stays there.
struct TrialSpec {
  int count = 0;  // 0: the test runs once, for LoopConfig::duration_s
  double length_s = 0.0, pause_s = 1.0;
  int stop_after_rises = 0;         // of the error, one after another; 0: whatever the errors, all trials run
  double stop_below_percent = 0.0;  // error of a trial that ends them; 0: none does
  /// Of all trials with their pauses.
  double duration_s() const noexcept { return count * length_s + (count - 1) * pause_s; }
};

/// Ticks of each trial: its tick 0 is rest.
std::int64_t trialTicks(const TrialSpec& spec, double step_s) noexcept;

/// A stretch of a test with a clock of its own.
struct Segment {
  static constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();
  std::int64_t ticks = kEndless;  // the last of them is its end
  int trial = 1;                  // from 1; of a pause, the trial before it
  bool at_rest = false;           // a pause
};

/// The segments of a test, made once before it is armed, and where it stands in them. An ordinary test is one segment.
class Programme {
 public:
  /// duration_s: of the one segment of a test without trials; 0: without end.
  Programme(double step_s, double duration_s, const TrialSpec& trials);
  const Segment& now() const noexcept { return segments_[index_]; }
  /// Ticks since the segment began.
  std::int64_t ticks() const noexcept { return ticks_; }
  /// One period on. True: it is the first of the next segment. Real-time safe.
  bool advance() noexcept {
    const bool next = ticks_ >= segments_[index_].ticks && index_ + 1 < segments_.size();
    if (next) {
      ++index_;
      ticks_ = 0;
    }
    ++ticks_;
    return next;
  }
  /// The last period of its segment. Real-time safe.
  bool atEndOfSegment() const noexcept { return ticks_ == segments_[index_].ticks; }
  /// All segments are over before so many further periods are. Real-time safe.
  bool over(std::int64_t periods) const noexcept {
    return ticks_ + periods > segments_[index_].ticks && overBefore(ticks_ + periods);
  }

 private:
  /// All are over before so many ticks of the present one and those after it.
  bool overBefore(std::int64_t at) const noexcept;
  std::vector<Segment> segments_;
  std::size_t index_ = 0;
  std::int64_t ticks_ = 0;
};

}  // namespace hyb
