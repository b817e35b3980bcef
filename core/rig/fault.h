#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace hyb {

enum class FaultKind : std::uint8_t {
  link_loss,
  frame_loss,
  corruption,
  reorder,
  latency,
  jitter,  // of the connection
  stuck_sensor,
  spike,
  drift,
  not_a_number,
  saturation,  // of a sensor
  actuator_freeze,
  runaway,
  power_off,
  interlock,  // of the rig
};
enum class FaultSensor : std::uint8_t { displacement, force };
enum class FaultPlace : std::uint8_t { connection, sensor, rig };

/// A deliberate fault, in the twin or in the rig server.
struct FaultSpec {
  FaultKind kind = FaultKind::spike;
  double from_s = 0.0;      // since Run
  double duration_s = 0.0;  // 0: to the end
  int interface = 0;        // from 1; 0: all interfaces
  FaultSensor sensor = FaultSensor::displacement;
  double value = 0.0;  // by kind: faultFacts()
  bool operator==(const FaultSpec&) const = default;
};

/// Properties of a kind of fault. A sensor's units are those of displacement and of force.
struct FaultFacts {
  FaultKind kind;
  FaultPlace place;
  const char* name;      // "link-loss", as in projects
  const char* units[2];  // of the value, by FaultSensor; "": a probability per tick, or no value
  double usual[2];       // default value, by FaultSensor
  double min, max;       // of the value; equal: the kind has no value
  const char* what;      // description for users, one sentence
};
constexpr double kLongestFaultDelay_s = 0.5;  // of latency and jitter, each
/// All kinds, in the order of FaultKind.
std::span<const FaultFacts> faultKinds() noexcept;
const FaultFacts& faultFacts(FaultKind kind) noexcept;
std::string_view name(FaultKind kind) noexcept;
std::string_view name(FaultSensor sensor) noexcept;  // "displacement", "force"
/// The kind with that name.
std::optional<FaultKind> faultKind(std::string_view name) noexcept;

}  // namespace hyb
