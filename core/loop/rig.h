#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <string>

#include "core/compensation/compensator.h"

namespace hyb {

enum class [[nodiscard]] RigStatus : std::uint8_t{ok, stale, saturated, link_lost, fault, interlock};

/// What was read in this tick; [i], sized before open().
struct RigState {
  Eigen::VectorXd measured;  // x, m: interface displacement of the PS, +x positive
  Eigen::VectorXd force;     // f, N: force of the PS on the NS, +x positive
};

/// What the loop talks to: the in-process twin, or hardware. One loop thread calls read and write; safeStop() from any.
class Rig {
 public:
  virtual ~Rig() = default;
  virtual std::size_t interfaces() const noexcept = 0;
  virtual std::string description() const = 0;
  /// Connects and moves nothing. Not real-time; throws DeviceError or InputError.
  virtual void open() = 0;
  /// Start of the tick, `elapsed` >= 1 periods after the last read (0 for the first). Real-time safe.
  virtual RigStatus read(RigState& state, std::int64_t elapsed) noexcept = 0;
  /// End of the tick; the command holds until the next one. Real-time safe.
  virtual RigStatus write(const Command& command) noexcept = 0;
  /// Defined safe state: actuators hold still and are powered down. Any thread, idempotent.
  virtual void safeStop() noexcept = 0;
};

}  // namespace hyb
