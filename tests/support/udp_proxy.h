#pragma once
#include <array>
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/udp_target.h"

namespace hyb::test {

/// Stands between a bench and a UDP target. What it does to the target's datagrams depends on their number alone, so
/// that it is the same on every machine: delays are counted in datagrams.
class UdpProxy {
 public:
  struct Fate {
    int copies = 1;       // 0: lost; 2: doubled
    int later = 0;        // leaves after so many further datagrams: reordered
    int bytes = -1;       // cut to this length; -1: whole
    int foreign = 0;      // so many copies from another sender before it: a flood
    bool broken = false;  // one bit is inverted
  };
  using Plan = std::function<Fate(int number)>;

  UdpProxy(const std::string& target, Plan plan)
      : target_(UdpPeer::resolve(parseAddress(target, ""))),
        to_bench_(UdpPeer::resolve(udpAddress(0))),
        to_target_(UdpPeer::resolve(udpAddress(0))),
        stranger_(UdpPeer::resolve(udpAddress(0))),
        plan_(std::move(plan)),
        thread_([this] {
          while (!ended_) pump();
        }) {}
  ~UdpProxy() {
    ended_ = true;
    thread_.join();
  }
  std::string address() const { return to_bench_.local().text(); }
  std::atomic<bool> cut{false};  // nothing passes, in either direction
  std::atomic<int> lost{0}, doubled{0}, reordered{0}, damaged{0}, foreign{0}, passed{0};

 private:
  struct Held {
    int due;
    std::vector<std::uint8_t> bytes;
  };

  void pump() {
    if (!to_target_.waitReadable(std::chrono::microseconds(100)) &&
        !to_bench_.waitReadable(std::chrono::nanoseconds(0)))
      return;
    std::array<std::uint8_t, 2048> buffer;
    UdpPeer from;
    while (const auto got = next(to_bench_, buffer, from)) {
      bench_ = from;
      if (!cut) (void)to_target_.send(std::span(buffer).first(*got), target_);
    }
    while (const auto got = next(to_target_, buffer, from))
      if (!cut && bench_.known()) deliver({buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(*got)});
  }
  static std::optional<std::size_t> next(UdpSocket& socket, std::span<std::uint8_t> into, UdpPeer& from) {
    const UdpSocket::Result got = socket.receive(into, from);
    return got.got == UdpSocket::Got::datagram ? std::optional(got.size) : std::nullopt;
  }

  void deliver(std::vector<std::uint8_t> bytes) {
    const Fate fate = plan_(++number_);
    for (int k = 0; k < fate.foreign; ++k, ++foreign) (void)stranger_.send(bytes, bench_);
    if (fate.broken || fate.bytes >= 0) ++damaged;
    if (fate.broken) bytes[bytes.size() / 2] ^= 0x04u;
    if (fate.bytes >= 0) bytes.resize(static_cast<std::size_t>(fate.bytes));
    if (fate.copies == 0) ++lost;
    if (fate.copies == 2) ++doubled;
    if (fate.later > 0) {
      ++reordered;
      held_.push_back({number_ + fate.later, std::move(bytes)});
    } else {
      for (int k = 0; k < fate.copies; ++k) (void)to_bench_.send(bytes, bench_);
      if (fate.copies > 0) ++passed;
    }
    std::erase_if(held_, [&](const Held& one) {
      if (one.due > number_) return false;
      (void)to_bench_.send(one.bytes, bench_);
      return true;
    });
  }

  UdpPeer target_, bench_;
  UdpSocket to_bench_, to_target_, stranger_;
  Plan plan_;
  std::vector<Held> held_;
  int number_ = 0;
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

}  // namespace hyb::test
