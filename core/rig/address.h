#pragma once
#include <cstdint>
#include <string>

namespace hyb {

/// Address of a device or another program: "tcp://HOST:PORT", "tcp://[::1]:PORT", "udp://HOST:PORT",
/// "serial:/dev/serial/by-id/...".
struct Address {
  enum class Kind : std::uint8_t { tcp, serial, udp } kind = Kind::tcp;
  std::string host;  // tcp, udp
  std::uint16_t port = 0;
  std::string path;  // serial; "pty" for a listener: a new pseudo-terminal
  std::string text() const;
};
/// True if it is the address of a serial port.
bool isSerial(const std::string& address) noexcept;
/// Throws InputError at `where` with the format of an address.
Address parseAddress(const std::string& text, const std::string& where);

}  // namespace hyb
