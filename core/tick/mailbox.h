#pragma once
#include <array>
#include <atomic>
#include <cstdint>

namespace hyb {

/// One-slot mailbox from one thread to one other: the newest value wins, and neither side ever waits, locks or
/// allocates. T is sized by the value given to the constructor and only overwritten from then on.
template <typename T>
class Mailbox {
 public:
  explicit Mailbox(const T& initial) : slots_{initial, initial, initial} {}
  /// Sender: what to fill in before publish(). Its content is that of an older value.
  T& draft() noexcept { return slots_[draft_]; }
  void publish() noexcept {
    draft_ = shared_.exchange(static_cast<std::uint8_t>(draft_ | kNew), std::memory_order_acq_rel) & kIndex;
  }
  /// Receiver: takes the newest value over, if there is one that it has not seen.
  bool receive() noexcept {
    if ((shared_.load(std::memory_order_relaxed) & kNew) == 0) return false;
    taken_ = shared_.exchange(taken_, std::memory_order_acq_rel) & kIndex;
    return true;
  }
  /// Receiver: the value last taken over.
  const T& value() const noexcept { return slots_[taken_]; }

 private:
  static constexpr std::uint8_t kNew = 4, kIndex = 3;
  std::array<T, 3> slots_;
  std::uint8_t draft_ = 0;               // the sender's
  std::atomic<std::uint8_t> shared_{1};  // between the two
  std::uint8_t taken_ = 2;               // the receiver's
};

}  // namespace hyb
