#pragma once
#include <string>
#include <vector>

#include "hardware/conversation.h"
#include "hardware/generic_blocks.h"

namespace hyb {

/// OpenFresco's `expControl GenericTCP`, for which the bench is the laboratory: see the help page "openfresco".
class OpenFrescoSession final : public Conversation {
 public:
  OpenFrescoSession(const SiteSpec& site, std::size_t interfaces);

  void feed(std::span<const std::uint8_t> bytes) override { blocks_.feed(bytes); }
  Step next() override;
  std::span<const double> target_m() const noexcept override { return target_m_; }
  const std::string& remark() const noexcept override { return remark_; }
  std::span<const std::uint8_t> constantReply() override;  // never due
  std::span<const std::uint8_t> measuredReply(const ExternalAnswer& answer) override;
  std::span<const std::uint8_t> faultReply() override;
  bool begun() const noexcept override { return blocks_.agreed(); }
  std::size_t pending() const noexcept override { return blocks_.pending(); }

 private:
  using enum GenericSizes::Quantity;

  Step takeSizes(const GenericSizes& sizes);
  std::string fault(const GenericSizes& sizes) const;  // why they are refused; "" if they are good
  Step takeBlock();
  Step takeTrial();
  Step unknown(double code);
  Step tell(Step step, std::string remark);

  SiteSpec site_;
  std::size_t interfaces_;
  GenericBlocks blocks_;
  int unknown_codes_ = 0;
  bool answered_ = false;  // measured values of the newest trial have been sent
  bool lines_told_ = false;
  std::vector<double> target_, target_m_;  // as received; in m
  std::string remark_;
};

}  // namespace hyb
