#pragma once
#include <algorithm>
#include <atomic>
#include <boost/lockfree/spsc_queue.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/compensation/compensator.h"
#include "core/data/channel.h"
#include "core/rig/axis_signals.h"
#include "core/tick/director.h"

namespace hyb {

/// Bits of the column `flags`.
enum RowFlag : std::uint32_t {
  kFlagLate = 1,  // a late tick: at least one missed period before it
  kFlagStaleInput = 2,
  kFlagLimitActive = 4,
  kFlagHolding = 8,
  kFlagStopping = 16,
  kFlagEmulatedForce = 32,  // forces of the simulated uncut structure drive the NS
  kFlagRigSaturated = 64,
  kFlagBetweenTrials = 128,
};
struct RowFlagName {
  RowFlag mask;
  const char* name;  // "stale_input": one word, as in flag_meanings of the run file
};
/// Whether the cut is closed in a row: not while the rig is held, at rest between trials, or ramped down. Energy
/// crosses the cut only in closed rows.
inline bool coupled(double flags) noexcept {
  return (static_cast<std::uint32_t>(flags) & (kFlagHolding | kFlagStopping | kFlagBetweenTrials)) == 0;
}
/// All bits in ascending order.
std::span<const RowFlagName> rowFlagNames() noexcept;

/// Layout of the columns of a row. A row has `width` contiguous doubles (exact for ticks below 2^53). Columns: tick,
/// time, flags, wake_late_ns, compute_ns, io_ns; then the acquisition channels (excitation_j, target_i, command_i,
/// measured_i, force_i, gap_i, velocity_i, reference_i if there is one, further ones of coupling scheme and rig); then
/// the adapted quantities.
class RowLayout {
 public:
  static constexpr std::size_t kTick = 0, kTime = 1, kFlags = 2, kWakeLate = 3, kCompute = 4, kIo = 5,
                               kFirstChannel = 6;
  /// Excitations are renamed excitation_1, excitation_2, ...; a given name without a description becomes the
  /// description. Their units stay. `signals` [i] provide the units of the interface channels and, if named, their
  /// descriptions; empty: displacements. `further`: channels of the coupling scheme, followed by channels of the rig.
  RowLayout(std::size_t interfaces, std::vector<Channel> excitations, bool reference, std::vector<Adapted> adapted,
            std::vector<AxisSignals> signals = {}, const std::vector<Channel>& further = {});
  /// The layout of rows with these columns, which may lack some and come in any order. Throws DeviceError if they have
  /// no target.
  static RowLayout of(std::span<const Channel> recorded);
  std::size_t width() const noexcept { return first_adapted_ + adapted_.size(); }
  std::size_t interfaces() const noexcept { return interfaces_; }
  bool hasReference() const noexcept { return reference_; }
  const std::vector<AxisSignals>& signals() const noexcept { return signals_; }  // [i]
  const std::vector<Channel>& columns() const noexcept { return columns_; }      // [width]
  const Channel& column(std::size_t place) const noexcept { return columns_[place]; }
  /// Acquisition channels; channel c is in column kFirstChannel + c.
  std::span<const Channel> channels() const noexcept {
    return std::span(columns_).subspan(kFirstChannel, first_adapted_ - kFirstChannel);
  }
  /// Column with this name; none if there is none.
  std::optional<std::size_t> find(std::string_view name) const noexcept;
  const std::string& units(std::size_t column) const noexcept { return columns_[column].units; }  // SI
  const std::vector<Adapted>& adapted() const noexcept { return adapted_; }
  std::size_t excitation(std::size_t j = 0) const noexcept { return kFirstChannel + j; }
  std::size_t target(std::size_t i) const noexcept { return first_target_ + i; }  // i from 0 here
  std::size_t command(std::size_t i) const noexcept { return first_target_ + interfaces_ + i; }
  std::size_t measured(std::size_t i) const noexcept { return first_target_ + 2 * interfaces_ + i; }
  std::size_t force(std::size_t i) const noexcept { return first_target_ + 3 * interfaces_ + i; }
  std::size_t gap(std::size_t i) const noexcept { return first_target_ + 4 * interfaces_ + i; }
  std::size_t velocity(std::size_t i) const noexcept { return first_target_ + 5 * interfaces_ + i; }
  std::size_t reference(std::size_t i) const noexcept { return first_target_ + 6 * interfaces_ + i; }
  /// Signal that is compared with the target.
  std::size_t tracked(std::size_t i) const noexcept { return signals_[i].asksForForce() ? force(i) : measured(i); }
  /// Motion of the interface itself, over which forces do work.
  std::size_t moved(std::size_t i) const noexcept { return moved_.empty() ? measured(i) : moved_[i]; }
  std::size_t furtherChannels() const noexcept { return further_; }
  std::size_t furtherColumn(std::size_t c) const noexcept { return first_adapted_ - further_ + c; }
  std::size_t adaptedColumn(std::size_t a) const noexcept { return first_adapted_ + a; }
  /// Columns recorded for each segment; empty if the test is one segment.
  void setSegments(SegmentTable segments) { segments_ = std::move(segments); }
  const SegmentTable& segments() const noexcept { return segments_; }
  const std::vector<Channel>& segmentColumns() const noexcept { return segments_.columns; }
  std::size_t mostSegments() const noexcept { return segments_.most; }

 private:
  std::size_t interfaces_;
  bool reference_;
  std::vector<AxisSignals> signals_;
  std::vector<Channel> columns_;
  std::vector<Adapted> adapted_;
  std::size_t further_;
  std::size_t first_target_, first_adapted_;
  std::vector<std::size_t> moved_;  // [i]; empty: the measured signals
  SegmentTable segments_;
};

/// Rows from the loop to one consumer. Single producer, single consumer, lock-free, no allocation after construction.
class RowRing {
 public:
  RowRing(std::size_t width, std::size_t rows) : width_(width), queue_(width * rows) {}
  /// Stores a whole row or nothing; if full, returns false and counts the loss. Producer only.
  bool push(std::span<const double> row) noexcept {
    if (queue_.write_available() < width_) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    queue_.push(row.data(), width_);
    return true;
  }
  std::size_t freeRows() const noexcept { return queue_.write_available() / width_; }  // producer only
  /// Moves up to `rows` rows into `out` (resized to whole rows). Returns their number. Consumer only.
  std::size_t pop(std::vector<double>& out, std::size_t rows) {
    rows = std::min(rows, queue_.read_available() / width_);
    out.resize(rows * width_);
    if (rows > 0) queue_.pop(out.data(), rows * width_);
    return rows;
  }
  std::size_t width() const noexcept { return width_; }
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

 private:
  std::size_t width_;
  boost::lockfree::spsc_queue<double> queue_;
  std::atomic<std::uint64_t> dropped_{0};
};

}  // namespace hyb
