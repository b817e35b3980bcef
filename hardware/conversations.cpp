#include <array>
#include <stdexcept>

#include "hardware/conversation.h"
#include "hardware/openfresco_session.h"
#include "hardware/opensees_session.h"

namespace hyb {
namespace {

template <typename Session>
std::unique_ptr<Conversation> made(const SiteSpec& site, std::size_t interfaces) {
  return std::make_unique<Session>(site, interfaces);
}

}  // namespace

std::span<const ConversationEntry> conversations() noexcept {
  static constexpr std::array<ConversationEntry, 2> all{
      {{"generic-client", made<OpenSeesSession>}, {"generic-tcp", made<OpenFrescoSession>}}};
  return all;
}

std::unique_ptr<Conversation> makeConversation(const SiteSpec& site, std::size_t interfaces) {
  for (const ConversationEntry& entry : conversations())
    if (entry.name == site.conversation) return entry.make(site, interfaces);
  throw std::logic_error("no conversation " + std::string(site.conversation));
}

}  // namespace hyb
