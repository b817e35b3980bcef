#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/coupling/site_spec.h"
#include "core/tick/target_exchange.h"

namespace hyb {

/// One client of the OpenSees/OpenFresco generic protocol, apart from its connection: bytes in, steps and replies out.
/// First come 11 int32 (sizes), then blocks of doubles whose first is the action; see the help page "opensees".
/// Nothing that a client sends throws or makes it read beyond a block.
class OpenSeesSession {
 public:
  OpenSeesSession(const SiteSpec& site, std::size_t interfaces);

  enum class Step : std::uint8_t {
    more,      // bytes are needed
    target,    // a new one: target_m()
    reply,     // is due at once: constantReply()
    measured,  // a reply is due once the last target has been measured: measuredReply()
    remark,    // something to tell: remark()
    end,       // the client takes its leave
  };
  void feed(std::span<const std::uint8_t> bytes);
  Step next();

  std::span<const double> target_m() const noexcept { return target_m_; }  // [i]; may be no numbers
  const std::string& remark() const noexcept { return remark_; }
  /// Stiffness; zeros for damping and mass, which the measured force holds already.
  std::span<const std::uint8_t> constantReply();
  std::span<const std::uint8_t> measuredReply(const ExternalAnswer& answer);
  /// A block of NaN: the test has ended.
  std::span<const std::uint8_t> faultReply();
  /// Sizes have been agreed on.
  bool begun() const noexcept { return block_ > 0; }

 private:
  enum class State : std::uint8_t { sizes, blocks, deaf };
  enum Quantity : std::size_t { displacement, velocity, acceleration, force, time, kQuantities };

  Step takeSizes();
  Step takeBlock();
  Step takeTrial();
  Step unknown(double code);
  Step tell(std::string remark);
  double doubleAt(std::size_t index) const noexcept;  // of the block at the front
  void place(Quantity quantity, std::span<const double> values, double factor);
  std::span<const std::uint8_t> bytes() const noexcept;

  SiteSpec site_;
  std::size_t interfaces_;
  State state_ = State::sizes;
  std::vector<std::uint8_t> received_;
  std::size_t read_ = 0;                                         // bytes of received_ that are done with
  std::array<std::size_t, kQuantities> control_{}, measured_{};  // numbers of each quantity
  std::size_t block_ = 0;                                        // doubles
  int code_ = 0;                                                 // of the request under way
  int unknown_codes_ = 0;
  std::vector<double> target_, target_m_;  // as the client gave it; in m
  std::vector<double> reply_;              // [block_]
  std::string remark_;
};

}  // namespace hyb
