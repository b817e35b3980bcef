#pragma once
#include <array>
#include <atomic>
#include <cstdint>

namespace hyb {

/// One-slot mailbox from one thread to another. The newest value wins. Neither side waits, locks or allocates. The
/// constructor's value sizes T; later values only overwrite it.
template <typename T>
class Mailbox {
 public:
  explicit Mailbox(const T& initial) : slots_{initial, initial, initial} {}
  /// Sender: value to fill in before publish(). It still holds an older value.
  T& draft() noexcept { return slots_[draft_]; }
  void publish() noexcept {
    draft_ = shared_.exchange(static_cast<std::uint8_t>(draft_ | kNew), std::memory_order_acq_rel) & kIndex;
  }
  /// Receiver: takes the newest value. Returns false if it has been received already.
  bool receive() noexcept {
    if ((shared_.load(std::memory_order_relaxed) & kNew) == 0) return false;
    taken_ = shared_.exchange(taken_, std::memory_order_acq_rel) & kIndex;
    return true;
  }
  /// Receiver: value of the last successful receive().
  const T& value() const noexcept { return slots_[taken_]; }

 private:
  static constexpr std::uint8_t kNew = 4, kIndex = 3;
  std::array<T, 3> slots_;
  std::uint8_t draft_ = 0;               // slot of the sender
  std::atomic<std::uint8_t> shared_{1};  // slot in exchange
  std::uint8_t taken_ = 2;               // slot of the receiver
};

}  // namespace hyb
