#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hardware/ads_frame.h"
#include "hardware/port.h"

namespace hyb {

/// Answer to one request.
struct AdsAnswer {
  std::uint32_t error = 0;  // AMS error or result of the command; 0: none
  AdsBytes data;            // without result and length; empty where there is an error
};

/// An ADS device at the other end of a TCP connection. Several requests can be sent at once; all their answers together
/// take one round trip. Answers are assigned by their invoke id; late ones, notifications and anything else are
/// dropped.
class AdsLink {
 public:
  enum class Answer : std::uint8_t {
    ok,
    refused,      // all answers are there, at least one with an error
    late,         // not all answers in time
    wrong,        // an answer of another form
    interrupted,  // by the flag
    closed,       // the connection is closed, or does not carry AMS frames
  };

  /// `interrupted` ends a wait.
  AdsLink(std::unique_ptr<Port> port, const AmsAddress& target, const AmsAddress& source,
          std::chrono::milliseconds reply_wait, const std::atomic<bool>& interrupted);

  /// Sends the requests in this order in one piece, and waits for their answers.
  Answer ask(std::span<const AdsRequest* const> requests) { return askAll(requests, false); }
  /// Regardless of `interrupted`.
  Answer askForStop(std::span<const AdsRequest* const> requests) { return askAll(requests, true); }
  Answer ask(const AdsRequest& request, bool for_stop = false) {
    const AdsRequest* const one = &request;
    return askAll(std::span(&one, 1), for_stop);
  }

  /// Of request k of the last ask.
  const AdsAnswer& answer(std::size_t k = 0) const noexcept { return answers_[k].answer; }
  /// Fault of the last answers, one sentence without a full stop.
  const std::string& complaint() const noexcept { return complaint_; }
  std::string localHost() const { return port_->localHost(); }
  /// Ends the connection once everything sent has arrived.
  void hangUp(std::chrono::milliseconds wait) noexcept { port_->hangUp(wait); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Awaited {
    const AdsRequest* request = nullptr;
    std::uint32_t invoke_id = 0;
    bool here = false;
    AdsAnswer answer;
  };
  Answer say(Answer answer, std::string complaint);
  Answer askAll(std::span<const AdsRequest* const> requests, bool patient);
  Answer await(bool patient);
  /// Takes one frame out of the received bytes; nothing: more bytes are needed, or it is another one's.
  std::optional<Answer> takeFrame(bool& more);
  std::optional<Answer> take(std::span<const std::uint8_t> frame);
  Answer judge();

  std::unique_ptr<Port> port_;
  const AmsAddress target_, source_;
  const std::chrono::milliseconds reply_wait_;
  const std::atomic<bool>& interrupted_;
  std::uint32_t invoke_id_ = 0;
  std::vector<Awaited> answers_;
  std::size_t missing_ = 0;    // of them
  std::size_t strangers_ = 0;  // frames dropped since the last ask
  AdsBytes received_, sent_;
  std::string complaint_;
};

}  // namespace hyb
