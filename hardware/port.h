#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/rig/address.h"
#include "core/rig/rig_spec.h"

namespace hyb {

/// An open connection that carries bytes: TCP (no delay, keep-alive), serial, or a pseudo-terminal. It is never opened
/// again by itself. One thread at a time reads, one writes.
class Port {
 public:
  ~Port();  // closes
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  struct Result {
    std::size_t bytes = 0;  // moved; 0: nothing there, or no room
    bool closed = false;    // the other side is gone, or the device failed
  };
  /// What has arrived, up to the size of `into`. Neither waits nor allocates.
  Result read(std::span<std::uint8_t> into) noexcept;
  /// As much as the system takes now. Neither waits nor allocates.
  Result write(std::span<const std::uint8_t> bytes) noexcept;

  /// Waits until something can be read or the other side is gone; false: not within `wait`.
  bool waitReadable(std::chrono::nanoseconds wait) noexcept;
  /// Writes everything; false: not within `wait`, or gone.
  bool writeAll(std::span<const std::uint8_t> bytes, std::chrono::milliseconds wait) noexcept;

  /// TCP: nothing more is sent; what still arrives is thrown away until the other side is gone too, for at most `wait`.
  /// A connection that is closed over bytes nobody read loses what was said last. Elsewhere it does nothing.
  void hangUp(std::chrono::milliseconds wait) noexcept;

  /// TCP: tells the other side at once that its bytes have come, for partners that hold back their next ones until
  /// then. Counts for what is read next; elsewhere it does nothing.
  void acknowledgeAtOnce() noexcept;

  bool serial() const noexcept;              // bytes may be damaged on their way
  const std::string& name() const noexcept;  // "tcp://127.0.0.1:4711": the other side
 private:
  friend class Listener;
  friend std::unique_ptr<Port> openPort(const Address&, const SerialSpec&, double);
  struct Impl;
  explicit Port(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Connects within `connect_s`. Throws DeviceError with the place and what may be wrong. Not real-time.
std::unique_ptr<Port> openPort(const Address& address, const SerialSpec& serial, double connect_s);

/// Waits for partners at an address, one after the other. TCP port 0: any free one. "serial:pty": a new
/// pseudo-terminal.
class Listener {
 public:
  /// Throws DeviceError: the port is taken, there is no such device.
  Listener(const Address& address, const SerialSpec& serial);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  /// Where partners find it: "tcp://127.0.0.1:40123", "serial:/dev/pts/3".
  const std::string& address() const noexcept;
  /// Nobody on another computer reaches it.
  bool onThisComputerOnly() const;
  /// The next partner; serial: as soon as something is received. Null: nobody within `wait`.
  std::unique_ptr<Port> accept(std::chrono::milliseconds wait);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Serial ports of this computer by names that stay when plugs change (/dev/serial/by-id), then the others; sorted.
std::vector<std::string> serialPorts();

}  // namespace hyb
