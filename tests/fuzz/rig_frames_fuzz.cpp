#include <algorithm>
#include <vector>

#include "hardware/cobs.h"
#include "hardware/frame.h"

namespace {

/// Frames whose magic, version, length and checksum are right, of whatever type and content: pieces of the input of two
/// bytes' length each.
std::vector<std::uint8_t> sealed(std::span<const std::uint8_t> input, bool coded, hyb::FrameAuth* auth) {
  std::vector<std::uint8_t> stream, frame(hyb::kMaxFrame);
  while (input.size() > 2) {
    const std::size_t length = std::min<std::size_t>(input[0] | input[1] << 8, input.size() - 2);
    const std::span<const std::uint8_t> piece = input.subspan(2, length);
    input = input.subspan(2 + length);
    hyb::FrameHeader header;
    const std::size_t header_bytes = std::min<std::size_t>(piece.size(), 16);
    for (std::size_t i = 0; i < header_bytes; ++i) {
      header.tick = header.tick << 8 | piece[i];
      header.sequence = header.sequence << 3 ^ piece[i];
      header.session = header.session << 2 ^ piece[i];
      header.status = header.status << 5 ^ piece[i];
    }
    if (!piece.empty()) header.type = static_cast<hyb::FrameType>(piece[0]);
    const std::size_t used = hyb::encodeFrame(header, piece.subspan(header_bytes), frame, auth);
    if (used == 0) continue;
    if (coded) {
      std::vector<std::uint8_t> bytes(hyb::cobsBound(used));
      bytes.resize(hyb::cobsEncode(std::span(frame).first(used), bytes.data()));
      stream.insert(stream.end(), bytes.begin(), bytes.end());
      stream.push_back(0);
    } else {
      stream.insert(stream.end(), frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(used));
    }
  }
  return stream;
}

}  // namespace

/// A stream of frames over TCP or a serial line (bit 0 of the first byte), in pieces as long as the second byte says;
/// with the checksum made right (bit 1), or as it comes; with a key on both sides (bit 2): what was sealed here is
/// genuine, and nothing else is.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const bool coded = data[0] % 2 != 0, right = (data[0] & 2) != 0, keyed = (data[0] & 4) != 0;
  const std::size_t piece = std::size_t{data[1]} * std::size_t{data[1]} + 1;
  hyb::FrameStream stream(coded ? hyb::FrameStream::Coding::cobs : hyb::FrameStream::Coding::plain);
  std::vector<std::uint8_t> bytes(data + 2, data + size);
  const hyb::Bytes32 key{1, 2, 3}, nonce{4, 5, 6};
  hyb::FrameAuth bench(key, nonce, nonce, hyb::FrameAuth::Side::bench),
      rig(key, nonce, nonce, hyb::FrameAuth::Side::rig);
  if (right) bytes = sealed(bytes, coded, keyed ? &bench : nullptr);
  volatile double sum = 0.0;  // read every value
  std::size_t whole = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::span<std::uint8_t> room = stream.room();
    const std::size_t count = std::min({piece, bytes.size() - at, room.size()});
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), count, room.begin());
    stream.filled(count);
    at += std::max<std::size_t>(1, count);
    hyb::Frame frame;
    for (;;) {
      const auto next = stream.next(frame);
      if (next == hyb::FrameStream::Next::nothing) break;
      if (next == hyb::FrameStream::Next::broken) {
        if (right) std::abort();
        return 0;
      }
      if (next != hyb::FrameStream::Next::frame) {
        if (right) std::abort();
        continue;
      }
      ++whole;
      const bool genuine = frame.sealed() && rig.check(frame.authentic, frame.tag) == hyb::FrameAuth::Verdict::genuine;
      if (genuine != (right && keyed)) std::abort();
      for (std::size_t i = 0; i < frame.values(); ++i)
        sum = sum + frame.value(i) + static_cast<double>(frame.integer(i));
    }
  }
  if (right && whole == 0 && !bytes.empty()) std::abort();
  return 0;
}
