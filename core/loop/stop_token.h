#pragma once
#include <atomic>

namespace hyb {

/// One STOP for all that runs under it: a test, a study, a FACE campaign. Every loop that follows it looks at it in
/// each tick, so that a press reaches a running test at once: the first ramps to zero, each further one is the rig's
/// own safe state in the next tick. Whatever would begin after the first press does not begin. Any thread or signal
/// handler.
class StopToken {
 public:
  explicit StopToken(int presses = 0) noexcept : presses_(presses) {}
  /// STOP was pressed, once more.
  void press() noexcept { presses_.fetch_add(1, std::memory_order_acq_rel); }
  /// Ends what runs by a ramp; does not make a press of before a second one.
  void request() noexcept {
    int none = 0;
    presses_.compare_exchange_strong(none, 1, std::memory_order_acq_rel);
  }
  /// Before anything runs under it.
  void clear() noexcept { presses_.store(0, std::memory_order_release); }
  int presses() const noexcept { return presses_.load(std::memory_order_acquire); }
  bool asked() const noexcept { return presses() > 0; }

 private:
  std::atomic<int> presses_;
  static_assert(std::atomic<int>::is_always_lock_free);  // a signal handler presses it
};

}  // namespace hyb
