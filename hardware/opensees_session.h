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

/// One client of the OpenSees/OpenFresco generic protocol, independent of its connection: bytes in, steps and replies
/// out. A session starts with 11 int32 (sizes), followed by blocks of doubles whose first is the action; see the help
/// page "opensees". No input of a client throws or is read beyond a block.
class OpenSeesSession {
 public:
  OpenSeesSession(const SiteSpec& site, std::size_t interfaces);

  enum class Step : std::uint8_t {
    more,      // more bytes are needed
    target,    // a new target: target_m()
    reply,     // a reply is due now: constantReply()
    measured,  // a reply is due after the last target has been measured: measuredReply()
    remark,    // a message for the user: remark()
    end,       // the client ends the session
  };
  void feed(std::span<const std::uint8_t> bytes);
  Step next();

  std::span<const double> target_m() const noexcept { return target_m_; }  // [i]; may be NaN
  const std::string& remark() const noexcept { return remark_; }
  /// Stiffness; zeros for damping and mass, which the measured force already contains.
  std::span<const std::uint8_t> constantReply();
  std::span<const std::uint8_t> measuredReply(const ExternalAnswer& answer);
  /// A block of NaN: the test has ended.
  std::span<const std::uint8_t> faultReply();
  /// True after sizes have been agreed.
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
  std::size_t read_ = 0;                                         // processed bytes of received_
  std::array<std::size_t, kQuantities> control_{}, measured_{};  // count of each quantity
  std::size_t block_ = 0;                                        // doubles
  int code_ = 0;                                                 // of the current request
  int unknown_codes_ = 0;
  std::vector<double> target_, target_m_;  // as received; in m
  std::vector<double> reply_;              // [block_]
  std::string remark_;
};

}  // namespace hyb
