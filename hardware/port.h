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

/// An open connection for bytes: TCP (no delay, keep-alive), serial, or a pseudo-terminal. It is never reopened
/// automatically. One thread at a time reads, one writes.
class Port {
 public:
  ~Port();  // closes
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  struct Result {
    std::size_t bytes = 0;  // transferred; 0: no data, or no room
    bool closed = false;    // the other side has closed, or the device failed
  };
  /// Received bytes, up to the size of `into`. Neither waits nor allocates.
  Result read(std::span<std::uint8_t> into) noexcept;
  /// Writes as much as the system accepts now. Neither waits nor allocates.
  Result write(std::span<const std::uint8_t> bytes) noexcept;

  /// Waits for readable bytes or a closed connection; false: neither within `wait`.
  bool waitReadable(std::chrono::nanoseconds wait) noexcept;
  /// Writes everything; false: not within `wait`, or closed.
  bool writeAll(std::span<const std::uint8_t> bytes, std::chrono::milliseconds wait) noexcept;

  /// TCP: ends sending and drops received bytes until the other side has closed too, for at most `wait`. Closing a
  /// connection with unread bytes would lose the last sent bytes. No effect on other ports.
  void hangUp(std::chrono::milliseconds wait) noexcept;

  /// TCP: acknowledges received bytes at once, for partners that delay their next bytes until then. Applies to the next
  /// read; no effect on other ports.
  void acknowledgeAtOnce() noexcept;

  bool serial() const noexcept;              // bytes may be damaged in transit
  const std::string& name() const noexcept;  // "tcp://127.0.0.1:4711": the other side
  std::string localHost() const;             // TCP: numeric address of this side; "" otherwise
 private:
  friend class Listener;
  friend std::unique_ptr<Port> openPort(const Address&, const SerialSpec&, double);
  struct Impl;
  explicit Port(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Connects within `connect_s`. Throws DeviceError with place and likely cause. Not real-time.
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
  /// Address for partners: "tcp://127.0.0.1:40123", "serial:/dev/pts/3".
  const std::string& address() const noexcept;
  /// True if no other computer can reach it.
  bool onThisComputerOnly() const;
  /// The next partner; serial: after the first received byte. Null: none within `wait`.
  std::unique_ptr<Port> accept(std::chrono::milliseconds wait);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Serial ports of this computer: first by names that do not depend on the plug (/dev/serial/by-id), then others;
/// sorted.
std::vector<std::string> serialPorts();

}  // namespace hyb
