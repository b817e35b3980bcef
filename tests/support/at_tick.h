#pragma once
#include <cstdint>
#include <functional>
#include <utility>

#include "tests/support/passing_device.h"

namespace hyb::test {

/// Calls a function once, before the n-th command. In free run nothing is on its way then.
class AtTick final : public PassingDevice {
 public:
  AtTick(std::unique_ptr<Device> device, std::uint64_t n, std::function<void()> then)
      : PassingDevice(std::move(device)), n_(n), then_(std::move(then)) {}
  RigStatus write(std::uint64_t tick, std::span<const double> outputs) noexcept override {
    if (++commands_ == n_) then_();
    return device_->write(tick, outputs);
  }

 private:
  const std::uint64_t n_;
  std::uint64_t commands_ = 0;
  const std::function<void()> then_;
};

}  // namespace hyb::test
