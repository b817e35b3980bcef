#include "hardware/ads_link.h"

#include <algorithm>
#include <array>
#include <utility>

namespace hyb {
namespace {

constexpr auto kAdsSlice = std::chrono::milliseconds(20);  // reaction time to an interrupt

/// Length field before the data of these answers.
bool hasLength(AdsCommand command) noexcept { return command == AdsCommand::read || command == AdsCommand::read_write; }
/// Bytes after the result of an answer without a length field.
std::uint32_t fixedBytes(AdsCommand command) noexcept {
  return command == AdsCommand::read_state ? 4 : command == AdsCommand::read_device_info ? 20 : 0;
}

}  // namespace

AdsLink::AdsLink(std::unique_ptr<Port> port, const AmsAddress& target, const AmsAddress& source,
                 std::chrono::milliseconds reply_wait, const std::atomic<bool>& interrupted)
    : port_(std::move(port)), target_(target), source_(source), reply_wait_(reply_wait), interrupted_(interrupted) {}

AdsLink::Answer AdsLink::say(Answer answer, std::string complaint) {
  complaint_ = std::move(complaint);
  return answer;
}

AdsLink::Answer AdsLink::askAll(std::span<const AdsRequest* const> requests, bool patient) {
  answers_.resize(requests.size());
  sent_.clear();
  for (std::size_t k = 0; k < requests.size(); ++k) {
    Awaited& awaited = answers_[k];
    awaited.request = requests[k];
    awaited.invoke_id = ++invoke_id_;
    awaited.here = false;
    awaited.answer.error = 0;
    awaited.answer.data.clear();
    AmsAddress to = target_;
    if (requests[k]->port != 0) to.port = requests[k]->port;
    appendAmsFrame(to, source_, *requests[k], awaited.invoke_id, sent_);
  }
  missing_ = requests.size();
  strangers_ = 0;
  if (!port_->writeAll(sent_, reply_wait_))
    return say(Answer::closed, "the request could not be sent: the connection is closed");
  return await(patient);
}

AdsLink::Answer AdsLink::await(bool patient) {
  const auto deadline = Clock::now() + reply_wait_;
  for (;;) {
    for (bool more = true; more;)
      if (const std::optional<Answer> taken = takeFrame(more)) return *taken;
    if (missing_ == 0) return judge();
    if (!patient && interrupted_.load(std::memory_order_relaxed))
      return say(Answer::interrupted, "a stop interrupted the wait for an answer");
    const auto left = deadline - Clock::now();
    if (left <= Clock::duration::zero()) {
      std::string words = "no answer within " + std::to_string(reply_wait_.count()) + " ms";
      if (strangers_ > 0)
        words += "; " + std::to_string(strangers_) +
                 " frames with another invoke id or address were dropped, which answer earlier requests or other "
                 "programs";
      return say(Answer::late, std::move(words));
    }
    port_->acknowledgeAtOnce();  // some controllers delay their second answer until then
    if (!port_->waitReadable(std::min<std::chrono::nanoseconds>(left, kAdsSlice))) continue;
    std::array<std::uint8_t, 4096> bytes;
    const Port::Result result = port_->read(bytes);
    received_.insert(received_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(result.bytes));
    if (result.closed) return say(Answer::closed, "the connection was closed by the controller");
  }
}

std::optional<AdsLink::Answer> AdsLink::takeFrame(bool& more) {
  more = false;
  if (received_.size() < kAmsTcpHeader) return std::nullopt;
  const std::uint32_t length = ads32(received_, 2);
  const bool router = ads16(received_, 0) != 0;  // a command of the router: no AMS frame
  if (length > kLongestAmsFrame || (!router && length < kAmsHeader))
    return say(Answer::closed, "it sent a frame with a length of " + std::to_string(length) +
                                   ", which is no AMS frame: check that port 48898 of a Beckhoff controller answers");
  if (received_.size() < kAmsTcpHeader + length) return std::nullopt;
  more = true;
  std::optional<Answer> taken;
  if (!router) taken = take(std::span(received_).subspan(kAmsTcpHeader, length));
  received_.erase(received_.begin(), received_.begin() + static_cast<std::ptrdiff_t>(kAmsTcpHeader + length));
  return taken;
}

std::optional<AdsLink::Answer> AdsLink::take(std::span<const std::uint8_t> frame) {
  const AmsHead head = amsHead(frame);
  const auto awaited = std::ranges::find_if(answers_, [&](const Awaited& a) {
    return !a.here && a.invoke_id == head.invoke_id && static_cast<std::uint16_t>(a.request->command) == head.command;
  });
  // A router that does not know the target may answer under its own NetId.
  const bool ours = awaited != answers_.end() && head.isResponse() && head.target == source_ &&
                    (head.error != 0 || head.source.net == target_.net);
  if (!ours) {
    ++strangers_;
    return std::nullopt;
  }
  awaited->here = true;
  --missing_;
  awaited->answer.error = head.error;
  if (head.error != 0) return std::nullopt;  // data behind it mean nothing
  const std::span<const std::uint8_t> data = frame.subspan(kAmsHeader);
  const AdsRequest& request = *awaited->request;
  const std::string who = "the answer to command " + std::to_string(head.command);
  if (head.length != data.size() || data.size() < 4)
    return say(Answer::wrong, who + " has " + std::to_string(data.size()) + " bytes of data, but its header says " +
                                  std::to_string(head.length));
  awaited->answer.error = ads32(data, 0);
  if (awaited->answer.error != 0) return std::nullopt;
  std::span<const std::uint8_t> values = data.subspan(4);
  const std::string asked =
      std::to_string(hasLength(request.command) ? request.answer_bytes : fixedBytes(request.command));
  if (hasLength(request.command)) {
    if (values.size() < 4 || ads32(values, 0) != values.size() - 4 || values.size() - 4 > request.answer_bytes)
      return say(Answer::wrong, who + " has a wrong length: " + std::to_string(values.size()) +
                                    " bytes after its result, at most " + asked + " and their count were asked for");
    values = values.subspan(4);
  } else if (values.size() != fixedBytes(request.command)) {
    return say(Answer::wrong,
               who + " has a wrong length: " + std::to_string(values.size()) + " bytes instead of " + asked);
  }
  awaited->answer.data.assign(values.begin(), values.end());
  return std::nullopt;
}

AdsLink::Answer AdsLink::judge() {
  const bool refused = std::ranges::any_of(answers_, [](const Awaited& a) { return a.answer.error != 0; });
  return refused ? Answer::refused : Answer::ok;
}

}  // namespace hyb
