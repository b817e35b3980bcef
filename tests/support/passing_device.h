#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/rig/device.h"

namespace hyb::test {

/// Passes everything on to another device.
class PassingDevice : public Device {
 public:
  explicit PassingDevice(std::unique_ptr<Device> device) : device_(std::move(device)) {}
  std::string description() const override { return device_->description(); }
  void open() override { device_->open(); }
  RigStatus read(std::span<double> inputs) noexcept override { return device_->read(inputs); }
  RigStatus write(std::uint64_t tick, std::span<const double> outputs) noexcept override {
    return device_->write(tick, outputs);
  }
  void rampBegins() noexcept override { device_->rampBegins(); }
  void safeStop() noexcept override { device_->safeStop(); }
  void close() noexcept override { device_->close(); }
  const LinkFigures& link() const noexcept override { return device_->link(); }
  Lead* lead() noexcept override { return device_->lead(); }
  std::uint32_t status() const noexcept override { return device_->status(); }
  std::vector<std::string> interlocks() const override { return device_->interlocks(); }
  std::uint32_t interlocksOpen() const noexcept override { return device_->interlocksOpen(); }
  bool inject(const FaultSpec& fault, bool begin) noexcept override { return device_->inject(fault, begin); }
  std::string failure() const override { return device_->failure(); }

 protected:
  std::unique_ptr<Device> device_;
};

}  // namespace hyb::test
