#pragma once
#include <atomic>
#include <memory>
#include <thread>
#include <utility>

#include "tests/support/passing_device.h"
#include "tests/support/set_clock.h"

namespace hyb::test {

/// A device whose rig leads by a clock of the test: a period passes with each beat, so however slow the machine,
/// nothing is late. Without a loop that awaits the beats, each reading does.
class LedDevice final : public PassingDevice, private Lead {
 public:
  LedDevice(std::unique_ptr<Device> device, SetClock& clock, double period_s)
      : PassingDevice(std::move(device)), clock_(clock), period_s_(period_s) {}

  /// The rate is measured meanwhile: time passes when a datagram has come.
  void open() override {
    std::atomic<bool> open{false};
    std::thread time([&] {
      for (std::uint64_t heard = 0; !open; std::this_thread::yield())
        if (const std::uint64_t now = device_->link().received.load(); now != std::exchange(heard, now) && now > 0)
          clock_.pass(25.0 * period_s_);
    });
    try {
      device_->open();
    } catch (...) {
      open = true;
      time.join();
      throw;
    }
    open = true;
    time.join();
  }
  RigStatus read(std::span<double> inputs) noexcept override {
    if (!std::exchange(awaited_, false)) (void)LedDevice::await();
    awaited_ = false;
    return device_->read(inputs);
  }
  Lead* lead() noexcept override { return this; }

 private:
  Beat await() noexcept override {
    awaited_ = true;
    clock_.pass(period_s_);
    return device_->lead()->await();
  }
  SetClock& clock_;
  double period_s_;
  bool awaited_ = false;
};

}  // namespace hyb::test
