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
#include "hardware/polled_server.h"
#include "tests/support/served_twin.h"

namespace hyb::test {

/// A rig (unless said otherwise the three-mass twin) behind the polled protocol of a project, on a thread of its own.
class ServedPolled {
 public:
  explicit ServedPolled(const RigSpec& project, const std::string& listen = "tcp://127.0.0.1:0",
                        Clock& clock = systemClock(), std::unique_ptr<Rig> rig = ServedTwin::twin(),
                        const std::function<void(RigServerSpec&)>& change = {}) {
    RigServerSpec spec;
    spec.listen = parseAddress(listen, "listen");
    spec.rate_hz = kServedRate_hz;
    spec.place_s = kHangs_s;  // a busy machine may keep a bench silent
    spec.channels = project.channels;
    if (change) change(spec);
    server_ = std::make_unique<PolledServer>(
        makeFaultyRig(std::move(rig), 1.0 / kServedRate_hz, 1), std::move(spec), project,
        [this](const std::string& line) {
          const std::lock_guard lock(mutex_);
          log_ += line + "\n";
        },
        clock);
    thread_ = std::thread([this] { server_->serve([&] { return ended_.load(); }); });
  }
  ~ServedPolled() {
    ended_ = true;
    thread_.join();
  }
  ServedPolled(const ServedPolled&) = delete;
  ServedPolled& operator=(const ServedPolled&) = delete;
  const std::string& address() const { return server_->address(); }
  ServedRig::State state() const { return server_->state(); }
  std::string log() const {
    const std::lock_guard lock(mutex_);
    return log_;
  }
  bool said(const std::string& words) const { return log().find(words) != std::string::npos; }

 private:
  std::unique_ptr<PolledServer> server_;
  std::atomic<bool> ended_{false};
  mutable std::mutex mutex_;
  std::string log_;
  std::thread thread_;
};

}  // namespace hyb::test
