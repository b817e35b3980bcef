#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hardware/frame_auth.h"

namespace hyb {

/// CRC-32C (Castagnoli): reflected polynomial 0x82F63B78, start and end xor 0xFFFFFFFF; "123456789" yields 0xE3069283.
std::uint32_t crc32c(std::span<const std::uint8_t> bytes) noexcept;

enum class FrameType : std::uint8_t {
  hello = 0x01,
  welcome = 0x02,
  refuse = 0x03,
  challenge = 0x04,
  arm = 0x10,
  armed = 0x11,
  command = 0x20,
  measurement = 0x21,
  hold = 0x30,
  stop = 0x31,
  stopped = 0x32,
  event = 0x40,
  ping = 0x50,
  pong = 0x51,
  bye = 0x7F,
};

struct FrameHeader {
  FrameType type = FrameType::bye;
  std::uint32_t sequence = 0, acknowledged = 0;  // own; last one received from the other side
  std::uint64_t tick = 0;                        // tick of the bench
  std::int64_t time_ns = 0;                      // monotonic clock of the sender
  std::uint32_t status = 0;                      // bits of DeviceStatus
  std::uint32_t session = 0;
};

/// A frame of the HybridBench rig protocol: little-endian, magic "HBR1", CRC-32C over everything before it. A sealed
/// frame (form 2) has counter and tag of FrameAuth between payload and CRC; a plain frame (form 1) has neither.
struct Frame {
  FrameHeader header;
  std::span<const std::uint8_t> payload;         // points into the bytes of the frame
  std::span<const std::uint8_t> authentic = {};  // sealed: bytes covered by the tag; empty: plain
  std::span<const std::uint8_t> tag = {};

  bool sealed() const noexcept { return !tag.empty(); }

  std::size_t values() const noexcept { return payload.size() / 8; }
  double value(std::size_t i) const noexcept;          // float64 i
  std::int64_t integer(std::size_t i) const noexcept;  // int64 i
};

/// The payload of a text frame as text, and text as payload.
inline std::string_view text(const Frame& frame) {
  return {reinterpret_cast<const char*>(frame.payload.data()), frame.payload.size()};
}
inline std::span<const std::uint8_t> bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

constexpr std::size_t kFrameHeader = 40, kFrameCrc = 4, kMaxPayload = 60'000;
constexpr std::size_t kMaxFrame = kFrameHeader + kMaxPayload + FrameAuth::kSeal + kFrameCrc;

/// Writes the frame into `out` and returns its length; 0: no room, or the payload is longer than kMaxPayload. `auth`:
/// seals the frame; null: plain.
std::size_t encodeFrame(const FrameHeader& header, std::span<const std::uint8_t> payload, std::span<std::uint8_t> out,
                        FrameAuth* auth = nullptr) noexcept;

enum class FrameCheck : std::uint8_t { ok, incomplete, bad_magic, bad_version, bad_length, bad_crc };
/// Reads the frame at the start of `bytes`. `used`: its length, set only with ok.
FrameCheck decodeFrame(std::span<const std::uint8_t> bytes, Frame& frame, std::size_t& used) noexcept;

void putValue(std::uint8_t* at, double value) noexcept;  // little-endian float64
void putInteger(std::uint8_t* at, std::int64_t value) noexcept;

/// Splits a stream of bytes into frames. Over TCP they follow one another directly, and damage ends the stream. Over a
/// serial line each is COBS-coded between zero bytes, and damage costs one frame. Allocates only at construction.
class FrameStream {
 public:
  enum class Coding : std::uint8_t { plain, cobs };
  explicit FrameStream(Coding coding);

  /// Space for incoming bytes; empty only while complete frames wait.
  std::span<std::uint8_t> room() noexcept;
  void filled(std::size_t bytes) noexcept;

  enum class Next : std::uint8_t { frame, nothing, damaged, broken };
  /// The next frame, valid until the next call of room() or next(). damaged: one was dropped, continue. broken: frame
  /// boundaries are lost.
  Next next(Frame& frame) noexcept;
  /// Fault of the last frame.
  FrameCheck check() const noexcept { return check_; }

 private:
  Next nextPlain(Frame& frame) noexcept;
  Next nextCoded(Frame& frame) noexcept;
  Coding coding_;
  std::vector<std::uint8_t> bytes_;    // received; [begin_, end_) not yet processed
  std::vector<std::uint8_t> decoded_;  // one decoded frame
  std::size_t begin_ = 0, end_ = 0;
  std::size_t searched_ = 0;  // no delimiter before this place
  FrameCheck check_ = FrameCheck::ok;
};

}  // namespace hyb
