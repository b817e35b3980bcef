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

/// Frames of one session over a port: numbers and checks them. Neither waits nor allocates once made.
class FrameLink {
 public:
  FrameLink(Port& port, LinkFigures& figures);

  /// Numbers, seals and codes a frame; the bytes stay valid until the next call. `header`: type, tick, time, status.
  std::span<const std::uint8_t> seal(FrameHeader header, std::span<const std::uint8_t> payload) noexcept;
  /// Hands bytes to the port; what it does not take at once goes first next time. False: gone, or the one before has
  /// not left yet, so that these are dropped.
  bool put(std::span<const std::uint8_t> sealed) noexcept;
  bool send(const FrameHeader& header, std::span<const std::uint8_t> payload) noexcept {
    return put(seal(header, payload));
  }

  enum class Got : std::uint8_t { frame, nothing, ended };
  /// The next frame of this session that is newer than the last one; others are counted by cause. Reads the port at
  /// most once. ended: closed, or bytes that are no frames; ending() says which.
  Got receive(Frame& frame) noexcept;
  const char* ending() const noexcept { return ending_; }
  bool closed() const noexcept { return closed_; }  // by the other side
  /// Frames that were hurt on their way, by their checksum or form.
  std::atomic<std::uint64_t> damaged{0};
  /// What is wrong with the last frame that arrived damaged: "wrong checksum"; "" where none did.
  const char* damage() const noexcept { return damage_; }

  /// Once there is one, all frames but a challenge are sealed by it, and only frames that it finds genuine are taken,
  /// with one exception: a greeting may be plain, for it asks for a challenge.
  std::optional<FrameAuth> auth;
  /// That of a challenge which has not been answered yet: the first genuine frame puts it in the place of `auth`.
  std::optional<FrameAuth> challenged;

  /// 0: none yet, frames of any session are taken.
  std::uint32_t session = 0;
  std::uint32_t lastSent() const noexcept { return sent_; }

 private:
  bool isNews(const FrameHeader& header) noexcept;
  FrameAuth::Verdict judge(const Frame& frame) noexcept;
  Port& port_;
  LinkFigures& figures_;
  FrameStream stream_;
  std::vector<std::uint8_t> frame_, coded_, waiting_;
  std::size_t waiting_begin_ = 0, waiting_end_ = 0;  // of waiting_: not yet taken by the port
  std::uint32_t sent_ = 0;
  std::atomic<std::uint32_t> received_{0};  // a stop may be sent by another thread
  bool any_received_ = false;
  bool closed_ = false;
  const char *ending_ = "", *damage_ = "";
};

}  // namespace hyb
