#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/rig/device_channels.h"
#include "core/rig/faulty_rig.h"
#include "hardware/udp_server.h"
#include "tests/support/served_twin.h"
#include "tests/support/udp_target.h"

namespace hyb::test {

/// The layout of the channels with all that a datagram may hold: a number, an echo, a tick, times, a state, a checksum.
inline UdpSpec fullLayout(const std::vector<ChannelSpec>& channels, FieldType type = FieldType::float64) {
  const auto field = [](FieldContent content, FieldType of = FieldType::uint32) { return DatagramField{content, of}; };
  UdpSpec spec;
  spec.local_port = 0;
  spec.timeout_ticks = 100'000;
  spec.sends = {field(FieldContent::sequence), field(FieldContent::tick), field(FieldContent::enable)};
  spec.receives = {field(FieldContent::sequence), field(FieldContent::echo), field(FieldContent::enabled),
                   field(FieldContent::fault)};
  for (auto* fields : {&spec.sends, &spec.receives}) fields->push_back(field(FieldContent::time, FieldType::float64));
  for (const ChannelSpec& channel : channels)
    (isOutput(channel.role) ? spec.sends : spec.receives).push_back({FieldContent::channel, type, channel.name});
  for (auto* fields : {&spec.sends, &spec.receives}) fields->push_back(field(FieldContent::checksum));
  spec.late_s = 10.0;  // a busy machine is no late datagram
  return spec;
}

inline RigSpec servedUdpRig(const std::string& address, UdpSpec layout) {
  RigSpec rig;
  rig.channels = rigChannels({}, 2);
  rig.connection.address = address;
  rig.connection.connect_s = kHangs_s;
  rig.connection.protocol = protocolOf(std::move(layout));
  return rig;
}

/// A rig (unless said otherwise the three-mass twin) as a UDP target, on a thread of its own.
class ServedUdp {
 public:
  explicit ServedUdp(const UdpSpec& layout, const std::function<void(RigServerSpec&)>& change = {},
                     Clock& clock = systemClock(), std::unique_ptr<Rig> rig = ServedTwin::twin(),
                     std::function<void()> after_each_turn = {}) {
    RigServerSpec spec;
    spec.listen = udpAddress(0);
    spec.rate_hz = kServedRate_hz;
    spec.place_s = kHangs_s;  // a busy machine may keep a bench silent
    spec.channels = rigChannels({}, 2);
    if (change) change(spec);
    server_ = std::make_unique<UdpServer>(
        makeFaultyRig(std::move(rig), 1.0 / kServedRate_hz, 1), std::move(spec), layout,
        [this](const std::string& line) {
          const std::lock_guard lock(mutex_);
          log_ += line + "\n";
        },
        clock);
    thread_ = std::thread([this, after_each_turn = std::move(after_each_turn)] {
      server_->serve([&] {
        if (after_each_turn) after_each_turn();  // what had come has been dealt with
        return ended_.load();
      });
    });
  }
  ~ServedUdp() {
    ended_ = true;
    thread_.join();
  }
  const std::string& address() const { return server_->address(); }
  bool following() const { return server_->following(); }
  bool said(const std::string& words) const {
    const std::lock_guard lock(mutex_);
    return log_.find(words) != std::string::npos;
  }

 private:
  std::unique_ptr<UdpServer> server_;
  std::atomic<bool> ended_{false};
  mutable std::mutex mutex_;
  std::string log_;
  std::thread thread_;
};

}  // namespace hyb::test
