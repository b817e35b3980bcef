#pragma once
#include <functional>
#include <memory>
#include <string>

#include "core/loop/pacing.h"
#include "core/rig/rig.h"
#include "core/rig/udp_protocol.h"
#include "hardware/rig_server.h"

namespace hyb {

/// Serves a rig (the project's twin) as a target with raw UDP datagrams, as `layout` describes them from the side of
/// the bench. The rig moves by the ticks of the commands; each datagram is answered by the sample of its instant. Where
/// the layout has an enable field, the rig follows while it is not 0. Without one, it follows the first datagram, and
/// sends its position before that every 10 ms to the local port of the bench on this computer.
///
/// A target that leads sends by its own clock, once a period from the first datagram of the bench (or from the start,
/// without an enable field), and the rig moves by that clock. Each command holds until the next one.
///
/// It stops by itself, and stays stopped until the bench connects again, when the enable field becomes 0, after
/// `place_s` without a datagram, and for a command that is not a number, steps too far or moves too fast. A new
/// connection is a sequence number that starts again or, without one, a datagram after a second of silence.
///
/// Of RigServerSpec it uses neither serial port nor key: raw UDP has none, so it serves other computers only if the
/// network is trusted.
class UdpServer {
 public:
  /// `say` receives one line per event. Throws DeviceError if it cannot listen, and InputError if it must not.
  UdpServer(std::unique_ptr<Rig> rig, RigServerSpec spec, const UdpSpec& layout,
            std::function<void(const std::string&)> say = {}, Clock& clock = systemClock());
  ~UdpServer();
  UdpServer(const UdpServer&) = delete;
  UdpServer& operator=(const UdpServer&) = delete;
  /// Address for benches, with the actual port.
  const std::string& address() const noexcept;
  /// Serves until `ended` returns true, checked at least every 50 ms; then the rig stops.
  void serve(const std::function<bool()>& ended);
  /// Any thread.
  bool following() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hyb
