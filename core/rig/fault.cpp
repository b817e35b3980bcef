#include "core/rig/fault.h"

#include <algorithm>
#include <array>

namespace hyb {
namespace {

using enum FaultPlace;

constexpr double kLargest = 1e9;

constexpr FaultFacts plain(FaultKind kind, FaultPlace place, const char* name, const char* what) {
  return {kind, place, name, {"", ""}, {0.0, 0.0}, 0.0, 0.0, what};
}
/// The value is a probability per tick.
constexpr FaultFacts chance(FaultKind kind, const char* name, const char* what) {
  return {kind, connection, name, {"", ""}, {0.1, 0.1}, 0.0, 1.0, what};
}
constexpr FaultFacts delay(FaultKind kind, const char* name, const char* what) {
  return {kind, connection, name, {"s", "s"}, {0.005, 0.005}, 0.0, kLongestFaultDelay_s, what};
}

constexpr std::array<FaultFacts, 15> kKinds = {{
    plain(FaultKind::link_loss, connection, "link-loss",
          "The connection is lost permanently; the rig stops at its position."),
    chance(FaultKind::frame_loss, "frame-loss",
           "In each tick the sample is lost with this probability; the last sample is used."),
    chance(FaultKind::corruption, "corruption",
           "In each tick the sample arrives damaged with this probability; the last sample is used."),
    chance(FaultKind::reorder, "reorder",
           "In each tick the sample is overtaken by the next one with this probability; the last sample is used."),
    delay(FaultKind::latency, "latency", "Samples arrive later by this time, rounded to whole ticks."),
    delay(FaultKind::jitter, "jitter",
          "Each sample arrives later by a random time up to this value; an overtaken sample is dropped."),
    plain(FaultKind::stuck_sensor, sensor, "stuck-sensor", "The sensor keeps its reading from the start of the fault."),
    {FaultKind::spike,
     sensor,
     "spike",
     {"m", "N"},
     {1e-3, 10.0},
     -kLargest,
     kLargest,
     "This is added to the first reading and then to every hundredth one."},
    {FaultKind::drift,
     sensor,
     "drift",
     {"m/s", "N/s"},
     {1e-4, 1.0},
     -kLargest,
     kLargest,
     "The reading drifts from the true value at this rate."},
    plain(FaultKind::not_a_number, sensor, "not-a-number", "The reading is not a number."),
    {FaultKind::saturation,
     sensor,
     "saturation",
     {"m", "N"},
     {1e-3, 10.0},
     0.0,
     kLargest,
     "The reading is limited to plus and minus this value."},
    plain(FaultKind::actuator_freeze, rig, "actuator-freeze",
          "The actuator keeps its command from the start of the fault."),
    {FaultKind::runaway,
     rig,
     "runaway",
     {"m/s", "m/s"},
     {0.01, 0.01},
     -kLargest,
     kLargest,
     "The actuator ignores commands and moves at this speed."},
    plain(FaultKind::power_off, rig, "power-off",
          "All actuators lose power, stop at their position, and stay off; the rig reports a fault."),
    plain(FaultKind::interlock, rig, "interlock", "A simulated interlock input opens."),
}};

constexpr bool inOrder() {
  for (std::size_t k = 0; k < kKinds.size(); ++k)
    if (kKinds[k].kind != static_cast<FaultKind>(k)) return false;
  return true;
}
static_assert(inOrder());

}  // namespace

std::span<const FaultFacts> faultKinds() noexcept { return kKinds; }
const FaultFacts& faultFacts(FaultKind kind) noexcept { return kKinds[static_cast<std::size_t>(kind)]; }
std::string_view name(FaultKind kind) noexcept { return faultFacts(kind).name; }
std::string_view name(FaultSensor sensor) noexcept { return sensor == FaultSensor::force ? "force" : "displacement"; }

std::optional<FaultKind> faultKind(std::string_view name) noexcept {
  const auto* const found =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& facts) { return name == facts.name; });
  return found == kKinds.end() ? std::nullopt : std::optional(found->kind);
}

}  // namespace hyb
