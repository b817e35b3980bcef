#include <algorithm>

#include "hardware/frame.h"

/// A stream of frames over TCP (even first byte) or a serial line, in pieces as long as the second byte says.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t piece = std::size_t{data[1]} + 1;
  hyb::FrameStream stream(data[0] % 2 == 0 ? hyb::FrameStream::Coding::plain : hyb::FrameStream::Coding::cobs);
  volatile double sum = 0.0;  // read every value
  for (std::size_t at = 2; at < size;) {
    const std::span<std::uint8_t> room = stream.room();
    const std::size_t count = std::min({piece, size - at, room.size()});
    std::copy_n(data + at, count, room.begin());
    stream.filled(count);
    at += std::max<std::size_t>(1, count);
    hyb::Frame frame;
    for (int k = 0; k < 1000; ++k) {
      const auto next = stream.next(frame);
      if (next == hyb::FrameStream::Next::nothing) break;
      if (next == hyb::FrameStream::Next::broken) return 0;
      if (next == hyb::FrameStream::Next::frame)
        for (std::size_t i = 0; i < frame.values(); ++i)
          sum = sum + frame.value(i) + static_cast<double>(frame.integer(i));
    }
  }
  return 0;
}
