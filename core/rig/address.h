#pragma once
#include <cstdint>
#include <string>

namespace hyb {

/// Where a device or another program stands: "tcp://HOST:PORT", "tcp://[::1]:PORT", "serial:/dev/serial/by-id/...".
struct Address {
  enum class Kind : std::uint8_t { tcp, serial } kind = Kind::tcp;
  std::string host;  // tcp
  std::uint16_t port = 0;
  std::string path;  // serial; "pty" where one listens: a new pseudo-terminal
  std::string text() const;
};
/// Is it meant to be a serial port?
bool isSerial(const std::string& address) noexcept;
/// Throws InputError at `where` with what an address looks like.
Address parseAddress(const std::string& text, const std::string& where);

}  // namespace hyb
