#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "core/rig/fault.h"

namespace hyb {

/// Injected faults of the connection, applied to sealed frames before sending. The same seed yields the same faults.
class WireFaults {
 public:
  explicit WireFaults(std::uint64_t seed) : random_(seed) {}
  /// Begins or ends a fault of the connection; false: it belongs elsewhere.
  bool set(const FaultSpec& fault, bool begin) noexcept;
  void clear() noexcept {
    values_ = {};
    queue_.clear(), held_back_.clear();
  }
  bool any() const noexcept;
  /// The cable is cut: nothing is sent, and received frames are ignored.
  bool cut() const noexcept { return has(FaultKind::link_loss); }

  /// Takes a frame to send; it may be dropped, damaged, delayed or queued.
  void add(std::span<const std::uint8_t> sealed, std::int64_t now_ns);
  /// The next frame that is due; empty: none. Valid until the next call of add() or due().
  std::span<const std::uint8_t> due(std::int64_t now_ns);
  /// When the next queued frame is due.
  std::optional<std::int64_t> nextNs() const noexcept;

 private:
  bool has(FaultKind kind) const noexcept { return values_[static_cast<std::size_t>(kind)].has_value(); }
  double value(FaultKind kind) const noexcept { return values_[static_cast<std::size_t>(kind)].value_or(0.0); }
  bool chance(FaultKind kind) { return has(kind) && share_(random_) < value(kind); }
  void queue(std::vector<std::uint8_t> frame, std::int64_t due_ns);

  struct Queued {
    std::int64_t due_ns;
    std::vector<std::uint8_t> bytes;
  };
  std::array<std::optional<double>, 32> values_{};  // of the active faults, by kind
  std::deque<Queued> queue_;                        // ascending in time
  std::vector<std::uint8_t> held_back_, leaving_;
  std::mt19937_64 random_;
  std::uniform_real_distribution<double> share_{0.0, 1.0};
};

}  // namespace hyb
