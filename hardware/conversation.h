#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/coupling/site_spec.h"
#include "core/tick/target_exchange.h"

namespace hyb {

/// What a program that computes the NS says to the bench, independent of its connection: bytes in, steps and replies
/// out. No input of a client throws or is read beyond a block.
class Conversation {
 public:
  enum class Step : std::uint8_t {
    more,      // more bytes are needed
    target,    // a new target: target_m()
    reply,     // a reply is due now: constantReply()
    measured,  // a reply is due after the last target has been measured: measuredReply()
    remark,    // a message for the user: remark()
    refused,   // likewise; the client is of no use, and its connection may be closed
    end,       // the client ends the session
  };
  virtual ~Conversation() = default;
  virtual void feed(std::span<const std::uint8_t> bytes) = 0;
  virtual Step next() = 0;

  virtual std::span<const double> target_m() const noexcept = 0;  // [i]; may be NaN
  virtual const std::string& remark() const noexcept = 0;
  virtual std::span<const std::uint8_t> constantReply() = 0;
  virtual std::span<const std::uint8_t> measuredReply(const ExternalAnswer& answer) = 0;
  /// A block of NaN: the test has ended.
  virtual std::span<const std::uint8_t> faultReply() = 0;
  /// True after sizes have been agreed.
  virtual bool begun() const noexcept = 0;
  /// Bytes of a message whose rest has not come.
  virtual std::size_t pending() const noexcept = 0;
};

struct ConversationEntry {
  std::string_view name;  // SiteSpec::conversation
  std::unique_ptr<Conversation> (*make)(const SiteSpec& site, std::size_t interfaces);
};
/// One per conversation.
std::span<const ConversationEntry> conversations() noexcept;
/// Throws std::logic_error for a conversation that is not in the table.
std::unique_ptr<Conversation> makeConversation(const SiteSpec& site, std::size_t interfaces);

}  // namespace hyb
