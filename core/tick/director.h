#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/rig/channel.h"
#include "core/tick/event.h"

namespace hyb {

/// What is kept of each segment of a test (a trial, a frequency), a row of its own in /segments of the run file.
struct SegmentTable {
  std::vector<Channel> columns;  // the first four are whole numbers: number, first_tick, last_tick and a yes or no
  std::size_t most = 0;          // rows
  std::string signal, axis;      // columns that are shown over one another
};
constexpr std::size_t kWholeSegmentColumns = 4;

/// Decides whether a test goes on once a segment of it is over: the trials, or another program that asks for the
/// targets. The loop asks each director in each tick; what takes longer is done elsewhere and only read here.
class Director {
 public:
  virtual ~Director() = default;
  /// Takes the next thing that it has to tell, if there is one; the tick is filled in later. Real-time safe.
  virtual bool takeEvent(Event& /*event*/) noexcept { return false; }
  /// Why nothing more is to follow, so that the test comes to its end; `running` while something is. Real-time safe.
  virtual EndReason ends() const noexcept = 0;

  /// It has work to do outside the tick, whose result is adopted at a tick that is known before.
  virtual bool works() const noexcept { return false; }
  /// Does what is due; false: nothing is. From one thread, which may be another one than that of the tick. Does not
  /// allocate.
  virtual bool work() noexcept { return false; }
  /// Its result waits although it is there: a replay of a run in which it was late.
  virtual void hold(bool /*held*/) noexcept {}
  /// What it keeps of each segment; no columns: nothing.
  virtual SegmentTable segments() const { return {}; }
  /// Takes the row of a segment that is over, [columns], if there is one; its ticks are filled in later. Real-time
  /// safe.
  virtual bool takeSegment(std::span<double> /*row*/) noexcept { return false; }
  /// What the test has come to, for the end of the sentence that says how it ended; "" for nothing. Not real-time.
  virtual std::string summary() const { return {}; }
};

}  // namespace hyb
