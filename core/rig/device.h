#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/rig/fault.h"
#include "core/rig/link.h"
#include "core/rig/rig.h"

namespace hyb {

/// One raw value that a device takes or gives, in its own unit: volts, counts, m.
struct DeviceChannel {
  std::string name, units;
  double min, max;  // agreed range; what lies outside is never sent and, if received, clipped and counted
};

/// What the bench wants from a device.
struct DeviceChannels {
  double rate_hz = 1000.0;
  bool paced = true;  // real time: read never waits; false (free run): it may wait a moment for the last answer
  double answer_wait_s = 0.5;          // how long a moment
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

/// What a driver received together with what the status word says: the worse of the two.
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
/// The worst of what it says in words, for people; "" while all is well.
const char* complaint(std::uint32_t word) noexcept;

/// Hardware as its driver sees it: raw values in and out over one connection. One loop thread calls read and write;
/// safeStop() from any. Neither waits: a driver that must wait owns a thread and a one-slot mailbox.
class Device {
 public:
  virtual ~Device() = default;
  virtual std::string description() const = 0;
  /// Connects, identifies, agrees on channels; arms and moves nothing. Not real-time. Throws DeviceError (no partner,
  /// refused, in its words) or InputError (the project asks for what the device has not).
  virtual void open() = 0;
  /// Newest raw inputs, [inputs]; what is not known yet or not new keeps its old value and gives `stale`. Real-time
  /// safe.
  virtual RigStatus read(std::span<double> inputs) noexcept = 0;
  /// Raw outputs, [outputs], of this tick. Real-time safe.
  virtual RigStatus write(std::uint64_t tick, std::span<const double> outputs) noexcept = 0;
  /// From here on the commands ramp to zero: a device that cannot follow them is stopped at once. Real-time safe.
  virtual void rampBegins() noexcept {}
  /// Tells the device to go to its safe state, at once; idempotent.
  virtual void safeStop() noexcept = 0;
  /// Safe state, heard by the device if it can be; then lets go of the connection, so that others may have it. What
  /// failure(), status() and link() tell stays. Not real-time, idempotent; open() comes back.
  virtual void close() noexcept { safeStop(); }
  virtual const LinkFigures& link() const noexcept = 0;
  /// Bits of DeviceStatus as last received.
  virtual std::uint32_t status() const noexcept { return 0; }
  /// Names of the interlock inputs; the state of input k is bit k of interlocksOpen().
  virtual std::vector<std::string> interlocks() const { return {}; }
  virtual std::uint32_t interlocksOpen() const noexcept { return 0; }
  /// Asks the device to begin (or end) a fault on purpose. Real-time safe. False: it cannot.
  virtual bool inject(const FaultSpec& /*fault*/, bool /*begin*/) noexcept { return false; }
  /// Why it stands in fault or lost its link, one sentence; "" while all is well. After the end, or from another
  /// thread.
  virtual std::string failure() const { return {}; }
};

}  // namespace hyb
