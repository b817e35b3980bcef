#include "hardware/frame_link.h"

#include <algorithm>
#include <array>
#include <utility>

#include "hardware/cobs.h"

namespace hyb {
namespace {

constexpr std::array kEndings = {"",
                                 "",
                                 "it sends data that are no frames of the rig protocol",
                                 "it speaks another version of the rig protocol",
                                 "it sends frames that are too long",
                                 "a frame arrived damaged (checksum)"};
constexpr const char* kForged = "it sends frames that are not sealed with the key in this session";
constexpr std::array kDamages = {"", "", "no frame", "wrong version", "wrong length", "wrong checksum"};

}  // namespace

FrameLink::FrameLink(Port& port, LinkFigures& figures)
    : port_(port),
      figures_(figures),
      stream_(port.serial() ? FrameStream::Coding::cobs : FrameStream::Coding::plain),
      frame_(kMaxFrame),
      coded_(cobsBound(kMaxFrame) + 2),
      waiting_(coded_.size()) {}

std::span<const std::uint8_t> FrameLink::seal(FrameHeader header, std::span<const std::uint8_t> payload) noexcept {
  header.sequence = ++sent_;
  header.acknowledged = received_.load(std::memory_order_relaxed);
  header.session = session;
  const std::size_t length =
      encodeFrame(header, payload, frame_, auth && header.type != FrameType::challenge ? &*auth : nullptr);
  if (!port_.serial()) return std::span(frame_).first(length);
  // A zero before the first frame separates it from earlier noise on the line.
  coded_[0] = 0;
  const std::size_t begin = header.type == FrameType::hello ? 1 : 0;
  const std::size_t end = begin + cobsEncode(std::span(frame_).first(length), coded_.data() + begin);
  coded_[end] = 0;
  return std::span(coded_).first(end + 1);
}

bool FrameLink::put(std::span<const std::uint8_t> sealed) noexcept {
  if (waiting_begin_ < waiting_end_) {
    waiting_begin_ += port_.write(std::span(waiting_).subspan(waiting_begin_, waiting_end_ - waiting_begin_)).bytes;
    if (waiting_begin_ < waiting_end_) return false;
  }
  const Port::Result result = port_.write(sealed);
  if (result.closed) return false;
  sealed = sealed.subspan(result.bytes);
  std::copy(sealed.begin(), sealed.end(), waiting_.begin());
  waiting_begin_ = 0;
  waiting_end_ = sealed.size();
  figures_.sent.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool FrameLink::isNews(const FrameHeader& header) noexcept {
  // A greeting restarts the sequence numbers.
  const bool greeting =
      header.type == FrameType::hello || header.type == FrameType::welcome || header.type == FrameType::refuse;
  if (!greeting && session != 0 && header.session != session) return false;
  if (!greeting && any_received_ && static_cast<std::int32_t>(header.sequence - received_.load()) <= 0) return false;
  received_.store(header.sequence, std::memory_order_relaxed);
  any_received_ = true;
  return true;
}

FrameAuth::Verdict FrameLink::judge(const Frame& frame) noexcept {
  using Verdict = FrameAuth::Verdict;
  if (!frame.sealed()) return !auth || frame.header.type == FrameType::hello ? Verdict::genuine : Verdict::forged;
  const Verdict verdict = auth ? auth->check(frame.authentic, frame.tag) : Verdict::forged;
  if (verdict != Verdict::forged || !challenged) return verdict;
  if (challenged->check(frame.authentic, frame.tag) != Verdict::genuine) return Verdict::forged;
  auth = std::move(challenged);
  challenged.reset();
  return Verdict::genuine;
}

FrameLink::Got FrameLink::receive(Frame& frame) noexcept {
  bool closed = false;
  for (int pass = 0; pass < 2; ++pass) {
    for (;;) {
      const FrameStream::Next next = stream_.next(frame);
      if (next == FrameStream::Next::nothing) break;
      const auto verdict = next == FrameStream::Next::frame ? judge(frame) : FrameAuth::Verdict::forged;
      if (verdict == FrameAuth::Verdict::genuine && isNews(frame.header)) {
        figures_.received.fetch_add(1, std::memory_order_relaxed);
        return Got::frame;
      }
      if (next == FrameStream::Next::frame && verdict == FrameAuth::Verdict::forged) {
        figures_.corrupt.fetch_add(1, std::memory_order_relaxed);
        if (port_.serial()) continue;
        ending_ = kForged;
        return Got::ended;
      }
      if (next == FrameStream::Next::frame) {
        figures_.out_of_order.fetch_add(1, std::memory_order_relaxed);
        continue;
      }
      figures_.corrupt.fetch_add(1, std::memory_order_relaxed);
      damaged.fetch_add(1, std::memory_order_relaxed);
      damage_ = kDamages[static_cast<std::size_t>(stream_.check())];
      if (next == FrameStream::Next::broken) {
        ending_ = kEndings[static_cast<std::size_t>(stream_.check())];
        return Got::ended;
      }
    }
    if (pass == 1 || closed) break;
    const Port::Result result = port_.read(stream_.room());
    stream_.filled(result.bytes);
    closed = result.closed;
    if (result.bytes == 0) break;
  }
  if (!closed) return Got::nothing;
  closed_ = true;
  ending_ = "it closed the connection";
  return Got::ended;
}

}  // namespace hyb
