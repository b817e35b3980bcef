#pragma once
#include <string>
#include <vector>

#include "hardware/conversation.h"
#include "hardware/generic_blocks.h"

namespace hyb {

/// One client of the kind of OpenSees' generic element: see the help page "external".
class OpenSeesSession final : public Conversation {
 public:
  OpenSeesSession(const SiteSpec& site, std::size_t interfaces);

  void feed(std::span<const std::uint8_t> bytes) override { blocks_.feed(bytes); }
  Step next() override;
  std::span<const double> target_m() const noexcept override { return target_m_; }
  const std::string& remark() const noexcept override { return remark_; }
  /// Stiffness; zeros for damping and mass, which the measured force already contains.
  std::span<const std::uint8_t> constantReply() override;
  std::span<const std::uint8_t> measuredReply(const ExternalAnswer& answer) override;
  std::span<const std::uint8_t> faultReply() override;
  bool begun() const noexcept override { return blocks_.agreed(); }
  std::size_t pending() const noexcept override { return blocks_.pending(); }

 private:
  using enum GenericSizes::Quantity;

  Step takeSizes(const GenericSizes& sizes);
  Step takeBlock();
  Step takeTrial();
  Step unknown(double code);
  Step tell(std::string remark);

  SiteSpec site_;
  std::size_t interfaces_;
  GenericBlocks blocks_;
  int code_ = 0;  // of the current request
  int unknown_codes_ = 0;
  std::vector<double> target_, target_m_;  // as received; in m
  std::string remark_;
};

}  // namespace hyb
