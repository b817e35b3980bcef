#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/passing_device.h"
#include "tests/support/patience.h"
#include "tests/support/set_clock.h"

namespace hyb::test {

/// A device whose rig leads by a clock of the test: a period passes with each beat after the first, and brings the
/// datagram of just that period, so however slow the machine, nothing is late. Without a loop that awaits the beats,
/// each reading does.
class LedDevice final : public PassingDevice, private Lead {
 public:
  /// `inputs`: number of values of a reading.
  LedDevice(std::unique_ptr<Device> device, std::size_t inputs, SetClock& clock, double period_s)
      : PassingDevice(std::move(device)), inputs_(inputs), clock_(clock), period_s_(period_s) {}

  /// The rate is measured meanwhile: time passes when a datagram has come. Each brings another, and the last one of a
  /// first connection is awaited as well, so that none is on its way when the first tick begins.
  void open() override {
    std::atomic<bool> open{false};
    const bool first = device_->link().received.load() == 0;
    std::uint64_t beats = 1, heard = device_->link().received.load();  // of the connection before, until it is reset
    std::thread time([&] {
      for (; !open; std::this_thread::yield())
        if (const std::uint64_t now = device_->link().received.load(); now != std::exchange(heard, now) && now > 0) {
          clock_.pass(25.0 * period_s_);
          ++beats;
        }
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
    begun_ = false;
    if (!first) return;  // one of the beats may have gone to the connection before
    std::vector<double> inputs(inputs_);
    (void)comesTrue([&] {
      (void)device_->read(inputs);
      return device_->link().received.load() >= beats;
    });
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
    if (std::exchange(begun_, true)) clock_.pass(period_s_);
    return device_->lead()->await();
  }
  std::size_t inputs_;
  SetClock& clock_;
  double period_s_;
  bool awaited_ = false, begun_ = false;
};

}  // namespace hyb::test
