#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "core/rig/device_channels.h"
#include "core/rig/faulty_rig.h"
#include "core/rig/frames_protocol.h"
#include "core/rig/twin.h"
#include "hardware/rig_server.h"
#include "tests/support/patience.h"
#include "tests/support/twin_bench.h"

namespace hyb::test {

constexpr double kServedRate_hz = 1000.0;
constexpr double kHangs_s = 1e-3 * kHangs_ms;

/// A rig (unless said otherwise the three-mass twin) behind a rig server, on a thread of its own.
class ServedTwin {
 public:
  explicit ServedTwin(const std::string& listen = "tcp://127.0.0.1:0", std::vector<FaultSpec> faults = {},
                      std::vector<ChannelSpec> channels = rigChannels({}, 2), std::unique_ptr<Rig> rig = twin(),
                      std::function<void()> after_each_turn = {}, Eigen::MatrixXd from_readings = {},
                      Clock& clock = systemClock(), const std::function<void(RigServerSpec&)>& change = {}) {
    RigServerSpec spec;
    spec.listen = parseAddress(listen, "listen");
    spec.rate_hz = kServedRate_hz;
    spec.place_s = kHangs_s;  // a busy machine may keep a bench silent
    spec.channels = std::move(channels);
    spec.faults = std::move(faults);
    spec.from_readings = std::move(from_readings);
    if (change) change(spec);
    server_ = std::make_unique<RigServer>(
        makeFaultyRig(std::move(rig), 1.0 / kServedRate_hz, 1), std::move(spec),
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
  static std::unique_ptr<Rig> twin() {
    return makeTwin(cut(threeMass(), threeMassPartition()), twoActuators(), 1.0 / kServedRate_hz);
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

/// In free run a reading waits for its answer as long as a busy machine may need.
inline DeviceChannels servedChannels(bool paced) {
  DeviceChannels channels = deviceChannels(rigChannels({}, 2), kServedRate_hz);
  channels.paced = paced;
  channels.answer_wait_s = kHangs_s;
  return channels;
}

/// A connection that a busy machine does not end.
inline ConnectionSpec patientConnection(const std::string& address) {
  ConnectionSpec connection;
  connection.address = address;
  connection.connect_s = kHangs_s;
  connection.protocol = protocolOf(FramesSpec{.timeout_ticks = 10'000, .silence_s = kHangs_s});
  return connection;
}

}  // namespace hyb::test
