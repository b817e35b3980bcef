#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "core/loop/device_channels.h"
#include "core/transfer/faulty_rig.h"
#include "core/transfer/twin.h"
#include "hardware/rig_server.h"
#include "tests/support/twin_bench.h"

namespace hyb::test {

constexpr double kServedRate_hz = 1000.0;

/// The three-mass twin behind a rig server, on a thread of its own.
class ServedTwin {
 public:
  explicit ServedTwin(const std::string& listen = "tcp://127.0.0.1:0", std::vector<FaultSpec> faults = {},
                      std::vector<ChannelSpec> channels = rigChannels({}, 2)) {
    RigServerSpec spec;
    spec.listen = parseAddress(listen, "listen");
    spec.rate_hz = kServedRate_hz;
    spec.channels = std::move(channels);
    spec.faults = std::move(faults);
    const double step_s = 1.0 / kServedRate_hz;
    server_ = std::make_unique<RigServer>(
        makeFaultyRig(makeTwin(cut(threeMass(), threeMassPartition()), twoActuators(), step_s), step_s, 1),
        std::move(spec), [this](const std::string& line) {
          const std::lock_guard lock(mutex_);
          log_ += line + "\n";
        });
    thread_ = std::thread([this] { server_->serve([this] { return ended_.load(); }); });
  }
  ~ServedTwin() { end(); }
  void end() {
    ended_ = true;
    if (thread_.joinable()) thread_.join();
  }
  const std::string& address() const { return server_->address(); }
  RigServer::State state() const { return server_->state(); }
  std::string log() const {
    const std::lock_guard lock(mutex_);
    return log_;
  }
  bool said(const std::string& words) const { return log().find(words) != std::string::npos; }

 private:
  std::unique_ptr<RigServer> server_;
  std::atomic<bool> ended_{false};
  mutable std::mutex mutex_;
  std::string log_;
  std::thread thread_;
};

inline DeviceChannels servedChannels(bool paced) {
  DeviceChannels channels = deviceChannels(rigChannels({}, 2), kServedRate_hz);
  channels.paced = paced;
  return channels;
}

/// A connection that a busy machine does not end.
inline ConnectionSpec patientConnection(const std::string& address) {
  ConnectionSpec connection;
  connection.address = address;
  connection.connect_s = 20.0;
  connection.protocol = FramesSpec{.timeout_ticks = 10'000, .silence_s = 20.0};
  return connection;
}

}  // namespace hyb::test
