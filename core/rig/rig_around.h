#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/rig/rig.h"

namespace hyb {

/// A rig in front of another one. Passes on all but interfaces(), readings(), read() and write(), which are its own.
class RigAround : public Rig {
 public:
  explicit RigAround(std::unique_ptr<Rig> rig) : rig_(std::move(rig)) {}
  std::string description() const override { return rig_->description(); }
  void open() override { rig_->open(); }
  void rampBegins() noexcept override { rig_->rampBegins(); }
  void safeStop() noexcept override { rig_->safeStop(); }
  void close() noexcept override { rig_->close(); }
  bool waits() const noexcept override { return rig_->waits(); }
  void begin() noexcept override { rig_->begin(); }
  bool takesRates() const noexcept override { return rig_->takesRates(); }
  std::vector<Channel> channels() const override { return rig_->channels(); }
  void readChannels(std::span<double> values) const noexcept override { rig_->readChannels(values); }
  const LinkFigures* link() const noexcept override { return rig_->link(); }
  Lead* lead() noexcept override { return rig_->lead(); }
  std::vector<std::string> interlocks() const override { return rig_->interlocks(); }
  std::uint32_t interlocksOpen() const noexcept override { return rig_->interlocksOpen(); }
  bool inject(const FaultSpec& fault, bool begin) noexcept override { return rig_->inject(fault, begin); }
  std::string failure() const override { return rig_->failure(); }

 protected:
  std::unique_ptr<Rig> rig_;
};

}  // namespace hyb
