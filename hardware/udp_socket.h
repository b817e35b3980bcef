#pragma once
#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

#include "core/rig/address.h"

namespace hyb {

/// Address and port of a partner on UDP.
struct UdpPeer {
  sockaddr_storage address{};
  socklen_t size = 0;

  bool known() const noexcept { return size > 0; }
  std::uint16_t port() const noexcept;
  bool sameHost(const UdpPeer& other) const noexcept;
  bool operator==(const UdpPeer& other) const noexcept { return sameHost(other) && port() == other.port(); }
  /// True if no other computer can have this address.
  bool loopback() const noexcept;
  std::string text() const;  // "udp://127.0.0.1:5005"
  /// Throws DeviceError if the name of the host is unknown.
  static UdpPeer resolve(const Address& address);
  /// All addresses of this computer that suit the partner's, with this port.
  static UdpPeer anyLocal(const UdpPeer& partner, std::uint16_t port) noexcept;
};

/// A UDP socket. Nothing in it waits or allocates, except the constructor and waitReadable().
class UdpSocket {
 public:
  /// Receives at `local`. Throws DeviceError: the port is taken.
  explicit UdpSocket(const UdpPeer& local);
  ~UdpSocket();
  UdpSocket(const UdpSocket&) = delete;
  UdpSocket& operator=(const UdpSocket&) = delete;

  enum class Got : std::uint8_t {
    nothing,
    datagram,
    refused,  // a computer answered that no program listens where a datagram was sent to
  };
  struct Result {
    Got got = Got::nothing;
    std::size_t size = 0;  // of the datagram, also if `into` was too short
  };
  Result receive(std::span<std::uint8_t> into, UdpPeer& from) noexcept;
  /// Time since the last received datagram reached this computer, ns; 0: the system does not tell. The first call only
  /// asks for it.
  std::int64_t ageNs() noexcept;
  /// False: the system did not take it.
  bool send(std::span<const std::uint8_t> bytes, const UdpPeer& to) noexcept;
  /// False: nothing within `wait`.
  bool waitReadable(std::chrono::nanoseconds wait) noexcept;
  /// With the actual port.
  const UdpPeer& local() const noexcept { return local_; }

 private:
  int fd_ = -1;
  UdpPeer local_;
};

}  // namespace hyb
