#pragma once
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/rig/link.h"
#include "hardware/frame.h"
#include "hardware/port.h"

namespace hyb {

/// Frames of one session over a port: numbers and checks them. Never waits; allocates only at construction.
class FrameLink {
 public:
  FrameLink(Port& port, LinkFigures& figures);

  /// Numbers, seals and encodes a frame; the bytes stay valid until the next call. `header`: type, tick, time, status.
  std::span<const std::uint8_t> seal(FrameHeader header, std::span<const std::uint8_t> payload) noexcept;
  /// Passes bytes to the port; the remainder is sent first at the next call. False: the port is closed, or the previous
  /// bytes are still waiting and these are dropped.
  bool put(std::span<const std::uint8_t> sealed) noexcept;
  bool send(const FrameHeader& header, std::span<const std::uint8_t> payload) noexcept {
    return put(seal(header, payload));
  }

  enum class Got : std::uint8_t { frame, nothing, ended };
  /// The next frame of this session that is newer than the last one; others are counted by cause. Reads the port at
  /// most once. ended: closed, or invalid data; ending() returns the reason.
  Got receive(Frame& frame) noexcept;
  const char* ending() const noexcept { return ending_; }
  bool closed() const noexcept { return closed_; }  // by the other side
  /// Frames damaged in transit, detected by checksum or form.
  std::atomic<std::uint64_t> damaged{0};
  /// Fault of the last damaged frame: "wrong checksum"; "" without one.
  const char* damage() const noexcept { return damage_; }

  /// Once set, it seals all frames except a challenge, and only genuine frames are accepted. Exception: a greeting may
  /// be plain, because it requests a challenge.
  std::optional<FrameAuth> auth;
  /// Of an unanswered challenge: the first genuine frame moves it to `auth`.
  std::optional<FrameAuth> challenged;

  /// 0: not yet set; frames of any session are accepted.
  std::uint32_t session = 0;
  std::uint32_t lastSent() const noexcept { return sent_; }

 private:
  bool isNews(const FrameHeader& header) noexcept;
  FrameAuth::Verdict judge(const Frame& frame) noexcept;
  Port& port_;
  LinkFigures& figures_;
  FrameStream stream_;
  std::vector<std::uint8_t> frame_, coded_, waiting_;
  std::size_t waiting_begin_ = 0, waiting_end_ = 0;  // of waiting_: not yet accepted by the port
  std::uint32_t sent_ = 0;
  std::atomic<std::uint32_t> received_{0};  // a stop may be sent by another thread
  bool any_received_ = false;
  bool closed_ = false;
  const char *ending_ = "", *damage_ = "";
};

}  // namespace hyb
