#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/data/channel.h"
#include "core/tick/event.h"

namespace hyb {

/// Columns recorded for each segment of a test (a trial, a frequency): one row per segment in /segments of the run
/// file.
struct SegmentTable {
  std::vector<Channel>
      columns;               // the first four hold whole numbers: number, first_tick, last_tick and a yes-or-no flag
  std::size_t most = 0;      // largest number of rows
  std::string signal, axis;  // columns that are plotted against each other
};
constexpr std::size_t kWholeSegmentColumns = 4;

/// Decides whether a test continues after a segment: the trials, or another program that supplies the targets. The loop
/// asks each director in each tick. Longer work is done outside the tick; the tick only reads its result.
class Director {
 public:
  virtual ~Director() = default;
  /// Takes the next event of the director, if any. The loop fills in the tick. Real-time safe.
  virtual bool takeEvent(Event& /*event*/) noexcept { return false; }
  /// Reason why the test ends because no segment follows; `running` while segments follow. Real-time safe.
  virtual EndReason ends() const noexcept = 0;

  /// True if the director has work outside the tick. Its result is adopted at a tick that is fixed in advance.
  virtual bool works() const noexcept { return false; }
  /// Does the work that is due. Returns false if none is due. Called from one thread, which may differ from the thread
  /// of the tick. Does not allocate.
  virtual bool work() noexcept { return false; }
  /// Holds back a finished result, so that a replay reproduces a run in which the result was late.
  virtual void hold(bool /*held*/) noexcept {}
  /// Columns recorded for each segment; no columns if nothing is recorded.
  virtual SegmentTable segments() const { return {}; }
  /// Takes the row of a finished segment, [columns], if there is one. The loop fills in its ticks. Real-time safe.
  virtual bool takeSegment(std::span<double> /*row*/) noexcept { return false; }
  /// Result of the test, appended to the sentence on how the test ended; "" if there is none. Not real-time safe.
  virtual std::string summary() const { return {}; }
};

}  // namespace hyb
