#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/loop/pacing.h"
#include "core/rig/rig.h"
#include "hardware/served_rig.h"

namespace hyb {

/// The side of the device of a protocol of questions and answers, in front of a served rig.
class Responder {
 public:
  virtual ~Responder() = default;
  /// For a new bench.
  virtual void begin() {}
  /// Takes the first whole request from `received` and appends its answer. Returns the bytes used; 0: the request is
  /// not whole yet. Unusable bytes are used up, and answered as the protocol says.
  virtual std::size_t take(std::span<const std::uint8_t> received, std::vector<std::uint8_t>& answer) = 0;
};

/// Serves a rig (the project's twin) as a device with the protocol of `project`: text, Modbus or ADS, as the project
/// describes it from the side of the bench. One bench at a time; another one is disconnected at once.
///
/// The rig follows from the first command and moves by the local clock: a command holds until the next one, and an
/// answer has the sample of the last full period. It stops by itself, and stays stopped until the bench connects again,
/// at the stop of the project, without a connection, after `place_s` without a request, and for a command that is not a
/// number, steps too far or moves too fast. On a serial line, a request after a stop, or after such a silence, is a new
/// connection.
class PolledServer {
 public:
  /// True for a protocol that it serves.
  static bool serves(const RigSpec& project);
  /// `say` receives one line per event. Throws DeviceError if it cannot listen, and InputError if it must not, or for a
  /// project that does not describe a device.
  PolledServer(std::unique_ptr<Rig> rig, RigServerSpec spec, const RigSpec& project,
               std::function<void(const std::string&)> say = {}, Clock& clock = systemClock());
  ~PolledServer();
  PolledServer(const PolledServer&) = delete;
  PolledServer& operator=(const PolledServer&) = delete;
  /// Address for benches, with the actual port.
  const std::string& address() const noexcept;
  /// Serves until `ended` returns true, checked at least every 50 ms; then the rig stops.
  void serve(const std::function<bool()>& ended);
  ServedRig::State state() const noexcept;  // any thread

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hyb
