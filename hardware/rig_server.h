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
  std::vector<ChannelSpec> channels;  // what the rig is asked for and gives, raw
  std::vector<FaultSpec> faults;      // their time counts from the first command of a session
  std::uint64_t seed = 1;             // of the faults of the connection
  Eigen::MatrixXd from_readings;      // [i, y]: the rig reads y displacement sensors; empty: one for each interface
  double arm_tolerance_m = 1e-3;      // between the commands that a bench arms with and where the rig stands
  std::vector<CommandGuard::Bounds> bounds;  // [axis] on how fast commands may change; those beyond: unbounded
  std::optional<Bytes32> key;                // benches have to have it too
  bool trust_network = false;                // without a key, other computers may reach it all the same
  double place_s = 5.0;                      // a bench that says nothing for this long loses its place
};

/// Who may move it: everyone who reaches the address, and with a key, who has that key too. Without one it listens on
/// this computer alone, unless told to trust the network.
/// Plays a rig (the project's twin) as hardware: serves one bench after the other by the HybridBench rig protocol. The
/// rig moves by the ticks of the commands; each command is answered by the sample of its instant. When commands cease
/// it takes the safe action that was agreed on, at its own clock, and stays stopped until greeted and armed anew. So it
/// does when a command is no number or changes faster than it allows; such a command is not followed.
class RigServer {
 public:
  /// `say` hears one line for people about each thing that happens. Throws DeviceError where it cannot listen, and
  /// InputError where it must not.
  RigServer(std::unique_ptr<Rig> rig, RigServerSpec spec, std::function<void(const std::string&)> say = {},
            Clock& clock = systemClock());
  ~RigServer();
  RigServer(const RigServer&) = delete;
  RigServer& operator=(const RigServer&) = delete;
  /// Where benches find it, with the port it got.
  const std::string& address() const noexcept;
  /// Serves until `ended` is true, which is asked at least every 50 ms; then the rig takes its safe action and the
  /// bench is told. Waits without burning time.
  void serve(const std::function<bool()>& ended);

  enum class State : std::uint8_t { listening, greeted, armed, stopping, stopped };
  State state() const noexcept;  // any thread; what led to it has been said by then

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hyb
