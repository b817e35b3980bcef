#include "core/rig/address.h"

#include <charconv>

#include "core/base/error.h"

namespace hyb {

std::string Address::text() const {
  if (kind == Kind::serial) return "serial:" + path;
  const bool v6 = host.find(':') != std::string::npos;
  return (kind == Kind::udp ? "udp://" : "tcp://") + (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

bool isSerial(const std::string& address) noexcept { return address.starts_with("serial:"); }

Address parseAddress(const std::string& text, const std::string& where) {
  const auto refuse = [&](const std::string& why) -> InputError {
    return {where,
            "is \"" + text.substr(0, 120) + "\", " + why + "; give tcp://HOST:PORT, udp://HOST:PORT or serial:PATH."};
  };
  if (isSerial(text)) {
    Address address{Address::Kind::serial, {}, 0, text.substr(7)};
    if (address.path.empty() || address.path.find('\0') != std::string::npos) throw refuse("which has no port");
    return address;
  }
  const bool udp = text.starts_with("udp://");
  if (!udp && !text.starts_with("tcp://")) throw refuse("which is not an address");
  const std::string rest = text.substr(6);
  const std::size_t colon = rest.rfind(':');
  if (colon == std::string::npos) throw refuse("which has no port number");
  Address address;
  if (udp) address.kind = Address::Kind::udp;
  address.host = rest.substr(0, colon);
  if (address.host.starts_with('[') && address.host.ends_with(']'))
    address.host = address.host.substr(1, address.host.size() - 2);
  else if (address.host.find(':') != std::string::npos)
    throw refuse("whose IPv6 host needs brackets");
  if (address.host.empty() || address.host.size() > 255 || address.host.find('\0') != std::string::npos)
    throw refuse("which has no host");
  const char* const end = rest.data() + rest.size();
  const auto [stop, error] = std::from_chars(rest.data() + colon + 1, end, address.port);
  if (error != std::errc() || stop != end) throw refuse("whose port is not a number from 0 to 65535");
  return address;
}

}  // namespace hyb
