#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/rig/fault.h"
#include "core/rig/lead.h"
#include "core/rig/link.h"
#include "core/rig/rig.h"

namespace hyb {

/// One raw value that a device receives or sends, in its own unit: volts, counts, m.
struct DeviceChannel {
  std::string name, units;
  double min, max;  // agreed range; values outside are never sent and, if received, clipped and counted
};

/// Requirements of the bench for a device.
struct DeviceChannels {
  double rate_hz = 1000.0;
  bool paced = true;           // real time: read never waits; false (free run): it may wait briefly for the last answer
  double answer_wait_s = 0.5;  // longest wait
  std::vector<DeviceChannel> outputs;  // commands
  std::vector<DeviceChannel> inputs;   // measurements
};

/// Bits of the status word of a device, the same in all protocols (reference note on protocols, E.4).
enum DeviceStatus : std::uint32_t {
  kDeviceEnabled = 1u << 0,
  kDeviceHolding = 1u << 1,
  kDeviceRamping = 1u << 2,
  kDeviceStopped = 1u << 3,
  kDeviceFault = 1u << 4,  // latched
  kDeviceEmergencyStop = 1u << 5,
  kDeviceInterlock = 1u << 6,
  kDeviceCommandClipped = 1u << 7,
  kDeviceRateClipped = 1u << 8,
  kDevicePositionLimit = 1u << 9,
  kDeviceForceLimit = 1u << 10,
  kDeviceSensorFault = 1u << 11,
  kDeviceSaturated = 1u << 12,
  kDeviceStaleCommand = 1u << 13,
  kDeviceLateTick = 1u << 14,
  kDeviceClockUnlocked = 1u << 15,
  kDeviceSimulated = 1u << 16,
  kDeviceFaultInjected = 1u << 17,
};

/// Combines the received status with the status word: the worse of the two.
constexpr RigStatus judged(RigStatus received, std::uint32_t word) noexcept {
  const auto says = [&](RigStatus status, std::uint32_t bits) { return received == status || (word & bits) != 0; };
  if (received == RigStatus::link_lost) return RigStatus::link_lost;
  if (says(RigStatus::fault, kDeviceFault | kDeviceStopped | kDeviceSensorFault)) return RigStatus::fault;
  if (says(RigStatus::interlock, kDeviceEmergencyStop | kDeviceInterlock)) return RigStatus::interlock;
  if (received == RigStatus::stale) return RigStatus::stale;
  if (says(RigStatus::saturated,
           kDeviceSaturated | kDeviceCommandClipped | kDeviceRateClipped | kDevicePositionLimit | kDeviceForceLimit))
    return RigStatus::saturated;
  return RigStatus::ok;
}
/// Text for the most severe bit; "" if there is none.
const char* complaint(std::uint32_t word) noexcept;

/// Interface of a driver to its hardware: raw values in and out over one connection. One loop thread calls read and
/// write; safeStop() from any. Neither waits: a driver that must wait owns a thread and a one-slot mailbox.
class Device {
 public:
  virtual ~Device() = default;
  virtual std::string description() const = 0;
  /// Connects, identifies, agrees on channels; arms and moves nothing. Not real-time. Throws DeviceError (no partner,
  /// or refused, with its text) or InputError (the device does not support the project's requirements).
  virtual void open() = 0;
  /// Newest raw inputs, [inputs]; unknown or unchanged values keep the old value and return `stale`. Real-time safe.
  virtual RigStatus read(std::span<double> inputs) noexcept = 0;
  /// Raw outputs, [outputs], of this tick. Real-time safe.
  virtual RigStatus write(std::uint64_t tick, std::span<const double> outputs) noexcept = 0;
  /// Called when the commands start to ramp to zero: a device that cannot follow them is stopped at once. Real-time
  /// safe.
  virtual void rampBegins() noexcept {}
  /// Sends the device to its safe state at once; idempotent.
  virtual void safeStop() noexcept = 0;
  /// Safe state, acknowledged by the device if possible; then releases the connection for others. The results of
  /// failure(), status() and link() remain. Not real-time, idempotent; open() reconnects.
  virtual void close() noexcept { safeStop(); }
  virtual const LinkFigures& link() const noexcept = 0;
  /// Its own clock, if that begins the ticks: call Lead::await() before each read. Null: the bench begins them.
  virtual Lead* lead() noexcept { return nullptr; }
  /// Bits of DeviceStatus as last received.
  virtual std::uint32_t status() const noexcept { return 0; }
  /// Names of the interlock inputs; the state of input k is bit k of interlocksOpen().
  virtual std::vector<std::string> interlocks() const { return {}; }
  virtual std::uint32_t interlocksOpen() const noexcept { return 0; }
  /// Starts (or ends) a deliberate fault in the device. Real-time safe. False: not supported.
  virtual bool inject(const FaultSpec& /*fault*/, bool /*begin*/) noexcept { return false; }
  /// Why it is in fault or lost its link, one sentence; "" if it is not. After the end, or from another thread.
  virtual std::string failure() const { return {}; }
};

}  // namespace hyb
