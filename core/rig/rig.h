#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/compensation/compensator.h"
#include "core/data/channel.h"
#include "core/linalg/few.h"
#include "core/rig/fault.h"
#include "core/rig/lead.h"
#include "core/rig/link.h"

namespace hyb {

enum class [[nodiscard]] RigStatus : std::uint8_t{ok, stale, saturated, link_lost, fault, interlock};

/// Readings of this tick; [i], sized before open().
struct RigState {
  Eigen::VectorXd measured;       // x, m: interface displacement of the PS, +x positive
  Eigen::VectorXd force;          // f, N: force of the PS on the NS, +x positive
  bool missed = false;            // missed period before a late tick: interpolated, without a written command
  Eigen::VectorXd further = {};   // [i] or empty: columns named by CouplingScheme::reads(); set by the loop
  Eigen::VectorXd readings = {};  // readings of the sensors behind measured and force, in this order; or empty

  /// Copies the other one. Real-time safe if both have the same sizes.
  void take(const RigState& other) {
    linalg::copyFew(other.measured, measured);
    linalg::copyFew(other.force, force);
    missed = other.missed;
    linalg::copyFew(other.further, further);
    linalg::copyFew(other.readings, readings);
  }
};

/// Interface of the loop to the in-process twin or to hardware. One loop thread calls read and write; safeStop() from
/// any.
class Rig {
 public:
  virtual ~Rig() = default;
  virtual std::size_t interfaces() const noexcept = 0;
  virtual std::string description() const = 0;
  /// Connects and moves nothing. Not real-time; throws DeviceError or InputError.
  virtual void open() = 0;
  /// Start of the tick, `elapsed` >= 1 periods after the last read (0 for the first). Real-time safe.
  virtual RigStatus read(RigState& state, std::int64_t elapsed) noexcept = 0;
  /// End of the tick; the command is held until the next one. Real-time safe.
  virtual RigStatus write(const Command& command) noexcept = 0;
  /// Called when the commands start to ramp to zero; hardware that cannot follow them is stopped at once. Real-time
  /// safe.
  virtual void rampBegins() noexcept {}
  /// Defined safe state: actuators hold still and are powered down. Any thread, idempotent.
  virtual void safeStop() noexcept = 0;
  /// After the test: safe state, and the hardware is released for others. Not real-time; open() reconnects.
  virtual void close() noexcept {}

  /// True if its simulated time does not advance until the test starts: when armed, it is read once. Real-time safe.
  virtual bool waits() const noexcept { return false; }
  /// Starts the test with the reading of this tick: random sequences start here. Real-time safe.
  virtual void begin() noexcept {}

  /// True if it uses the rates of commands. Known once built.
  virtual bool takesRates() const noexcept { return true; }
  /// Number of sensor readings behind measured and force, as in RigState::readings. Known once built.
  virtual std::size_t readings() const noexcept { return 0; }

  /// Further columns of this rig in every row: raw inputs, status word, link counters. Known once built.
  virtual std::vector<Channel> channels() const { return {}; }
  /// Their values at the last read, in the order of channels(). Real-time safe.
  virtual void readChannels(std::span<double> /*values*/) const noexcept {}
  /// Counters of the connection; null if there is none.
  virtual const LinkFigures* link() const noexcept { return nullptr; }
  /// Its own clock, if that begins the ticks; null: the bench begins them.
  virtual Lead* lead() noexcept { return nullptr; }
  /// Names of the interlock inputs; input k is open while bit k of interlocksOpen() is set. Known once open.
  virtual std::vector<std::string> interlocks() const { return {}; }
  virtual std::uint32_t interlocksOpen() const noexcept { return 0; }
  /// Starts (or ends) a deliberate fault. Real-time safe. False: not supported by this rig.
  virtual bool inject(const FaultSpec& /*fault*/, bool /*begin*/) noexcept { return false; }
  /// Why it is in fault or lost its link, one sentence; "" if it is not. Not real-time.
  virtual std::string failure() const { return {}; }
};

}  // namespace hyb
