#include "hardware/frame.h"

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstring>

#include "hardware/cobs.h"

namespace hyb {
namespace {

constexpr std::array<std::uint8_t, 4> kMagic = {'H', 'B', 'R', '1'};
constexpr std::uint8_t kPlain = 1, kSealed = 2;  // forms of a frame

constexpr std::array<std::uint32_t, 256> crcTable() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t n = 0; n < 256; ++n) {
    std::uint32_t crc = n;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1u) != 0 ? (crc >> 1) ^ 0x82F63B78u : crc >> 1;
    table[n] = crc;
  }
  return table;
}
constexpr std::array<std::uint32_t, 256> kCrcTable = crcTable();

template <std::unsigned_integral T>
void put(std::uint8_t* at, T value) noexcept {
  for (std::size_t b = 0; b < sizeof(T); ++b) at[b] = static_cast<std::uint8_t>(value >> (8 * b));
}

template <std::unsigned_integral T>
T get(const std::uint8_t* at) noexcept {
  T value = 0;
  for (std::size_t b = 0; b < sizeof(T); ++b) value = static_cast<T>(value | static_cast<T>(T{at[b]} << (8 * b)));
  return value;
}

}  // namespace

std::uint32_t crc32c(std::span<const std::uint8_t> bytes) noexcept {
  std::uint32_t crc = 0xFFFFFFFFu;
  for (const std::uint8_t byte : bytes) crc = (crc >> 8) ^ kCrcTable[(crc ^ byte) & 0xFFu];
  return ~crc;
}

double Frame::value(std::size_t i) const noexcept { return std::bit_cast<double>(get<std::uint64_t>(&payload[8 * i])); }
std::int64_t Frame::integer(std::size_t i) const noexcept {
  return static_cast<std::int64_t>(get<std::uint64_t>(&payload[8 * i]));
}
void putValue(std::uint8_t* at, double value) noexcept { put(at, std::bit_cast<std::uint64_t>(value)); }
void putInteger(std::uint8_t* at, std::int64_t value) noexcept { put(at, static_cast<std::uint64_t>(value)); }

std::size_t encodeFrame(const FrameHeader& header, std::span<const std::uint8_t> payload, std::span<std::uint8_t> out,
                        FrameAuth* auth) noexcept {
  const std::size_t content = kFrameHeader + payload.size();
  const std::size_t length = content + (auth != nullptr ? FrameAuth::kSeal : 0) + kFrameCrc;
  if (payload.size() > kMaxPayload || length > out.size()) return 0;
  std::uint8_t* const at = out.data();
  std::copy(kMagic.begin(), kMagic.end(), at);
  at[4] = auth != nullptr ? kSealed : kPlain;
  at[5] = static_cast<std::uint8_t>(header.type);
  put(at + 6, static_cast<std::uint16_t>(payload.size()));
  put(at + 8, header.sequence);
  put(at + 12, header.acknowledged);
  put(at + 16, header.tick);
  put(at + 24, static_cast<std::uint64_t>(header.time_ns));
  put(at + 32, header.status);
  put(at + 36, header.session);
  std::copy(payload.begin(), payload.end(), at + kFrameHeader);
  if (auth != nullptr) auth->seal(at, content);
  put(at + length - kFrameCrc, crc32c(out.first(length - kFrameCrc)));
  return length;
}

FrameCheck decodeFrame(std::span<const std::uint8_t> bytes, Frame& frame, std::size_t& used) noexcept {
  const std::uint8_t* const at = bytes.data();
  const std::size_t seen = std::min(bytes.size(), kMagic.size());
  if (!std::equal(at, at + seen, kMagic.begin())) return FrameCheck::bad_magic;
  if (bytes.size() > 4 && at[4] != kPlain && at[4] != kSealed) return FrameCheck::bad_version;
  if (bytes.size() < 8) return FrameCheck::incomplete;
  const std::size_t payload = get<std::uint16_t>(at + 6);
  if (payload > kMaxPayload) return FrameCheck::bad_length;
  const bool sealed = at[4] == kSealed;
  const std::size_t content = kFrameHeader + payload, length = content + (sealed ? FrameAuth::kSeal : 0) + kFrameCrc;
  if (bytes.size() < length) return FrameCheck::incomplete;
  if (crc32c(bytes.first(length - kFrameCrc)) != get<std::uint32_t>(at + length - kFrameCrc))
    return FrameCheck::bad_crc;
  frame.header = {static_cast<FrameType>(at[5]),
                  get<std::uint32_t>(at + 8),
                  get<std::uint32_t>(at + 12),
                  get<std::uint64_t>(at + 16),
                  static_cast<std::int64_t>(get<std::uint64_t>(at + 24)),
                  get<std::uint32_t>(at + 32),
                  get<std::uint32_t>(at + 36)};
  frame.payload = bytes.subspan(kFrameHeader, payload);
  frame.authentic = sealed ? bytes.first(content + FrameAuth::kCounter) : std::span<const std::uint8_t>();
  frame.tag = sealed ? bytes.subspan(content + FrameAuth::kCounter, FrameAuth::kTag) : frame.authentic;
  used = length;
  return FrameCheck::ok;
}

FrameStream::FrameStream(Coding coding)
    : coding_(coding), bytes_(2 * (cobsBound(kMaxFrame) + 1)), decoded_(coding == Coding::cobs ? kMaxFrame : 0) {}

std::span<std::uint8_t> FrameStream::room() noexcept {
  if (begin_ > 0 && (begin_ == end_ || bytes_.size() - end_ < bytes_.size() / 2)) {
    std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    searched_ -= begin_;
    begin_ = 0;
  }
  return std::span(bytes_).subspan(end_);
}

void FrameStream::filled(std::size_t bytes) noexcept { end_ += bytes; }

FrameStream::Next FrameStream::next(Frame& frame) noexcept {
  return coding_ == Coding::plain ? nextPlain(frame) : nextCoded(frame);
}

FrameStream::Next FrameStream::nextPlain(Frame& frame) noexcept {
  if (check_ != FrameCheck::ok && check_ != FrameCheck::incomplete) return Next::broken;
  if (begin_ == end_) return Next::nothing;
  std::size_t used = 0;
  check_ = decodeFrame(std::span(bytes_).subspan(begin_, end_ - begin_), frame, used);
  if (check_ == FrameCheck::incomplete) return Next::nothing;
  if (check_ != FrameCheck::ok) return Next::broken;
  begin_ += used;
  searched_ = begin_;
  return Next::frame;
}

FrameStream::Next FrameStream::nextCoded(Frame& frame) noexcept {
  for (;;) {
    const auto from = bytes_.begin() + static_cast<std::ptrdiff_t>(searched_);
    const auto end = bytes_.begin() + static_cast<std::ptrdiff_t>(end_);
    const auto zero = std::find(from, end, std::uint8_t{0});
    const auto stop = static_cast<std::size_t>(zero - bytes_.begin());
    const std::span<const std::uint8_t> coded = std::span(bytes_).subspan(begin_, stop - begin_);
    if (zero == end) {
      searched_ = end_;
      if (coded.size() <= cobsBound(kMaxFrame)) return Next::nothing;
      begin_ = end_;  // longer than any frame
      check_ = FrameCheck::bad_length;
      return Next::damaged;
    }
    begin_ = searched_ = stop + 1;
    if (coded.empty()) continue;  // delimiters may be on both sides of a frame
    const std::optional<std::size_t> length = cobsDecode(coded, decoded_);
    std::size_t used = 0;
    check_ = length ? decodeFrame(std::span(decoded_).first(*length), frame, used) : FrameCheck::bad_length;
    if (check_ == FrameCheck::ok && used != *length) check_ = FrameCheck::bad_length;
    return check_ == FrameCheck::ok ? Next::frame : Next::damaged;
  }
}

}  // namespace hyb
