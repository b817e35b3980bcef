#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/loop/pacing.h"
#include "core/rig/address.h"
#include "core/rig/rig.h"
#include "core/rig/rig_spec.h"
#include "hardware/command_guard.h"
#include "hardware/frame_auth.h"

namespace hyb {

struct RigServerSpec {
  Address listen;
  SerialSpec serial;
  double rate_hz = 1000.0;
  std::vector<ChannelSpec> channels;  // commands and measurements of the rig, raw
  std::vector<FaultSpec> faults;      // their time counts from the first command of a session
  std::uint64_t seed = 1;             // of the faults of the connection
  Eigen::MatrixXd from_readings;      // [i, y]: the rig measures with y displacement sensors; empty: one per interface
  double arm_tolerance_m = 1e-3;      // between the commands of ARM and the present position of the rig
  std::vector<CommandGuard::Bounds> bounds;  // [axis] bounds on the rate of commands; further axes: unbounded
  std::optional<Bytes32> key;                // shared with the benches
  bool trust_network = false;                // allows other computers without a key
  double place_s = 5.0;                      // a bench that is silent for this long loses its place
};

/// Serves a rig (the project's twin) as hardware: one bench after the other, by the HybridBench rig protocol. Everyone
/// with access to the address may move it; with a key, only those who also have the key. Without a key it listens only
/// on this computer, unless the network is trusted. The rig moves by the ticks of the commands; each command is
/// answered by the sample of its instant. Without commands it takes the agreed safe action, by its own clock, and stays
/// stopped until greeted and armed again. The same applies to a command that is not a number or changes faster than
/// allowed; such a command is not followed.
class RigServer {
 public:
  /// `say` receives one line per event. Throws DeviceError if it cannot listen, and InputError if it must not.
  RigServer(std::unique_ptr<Rig> rig, RigServerSpec spec, std::function<void(const std::string&)> say = {},
            Clock& clock = systemClock());
  ~RigServer();
  RigServer(const RigServer&) = delete;
  RigServer& operator=(const RigServer&) = delete;
  /// Address for benches, with the actual port.
  const std::string& address() const noexcept;
  /// Serves until `ended` returns true, checked at least every 50 ms; then the rig takes its safe action and informs
  /// the bench. Waits without using the processor.
  void serve(const std::function<bool()>& ended);

  enum class State : std::uint8_t { listening, greeted, armed, stopping, stopped };
  State state() const noexcept;  // any thread; its cause has been reported before

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hyb
