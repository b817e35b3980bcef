#pragma once
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "core/base/checks.h"
#include "core/base/json_fwd.h"

namespace hyb {

struct RigSpec;

/// How a rig is spoken to: the settings of a protocol, immutable and shared. What the program asks of a protocol is
/// answered here, so that nothing but its driver knows it by its name.
class RigProtocol {
 public:
  virtual ~RigProtocol() = default;
  /// Word in the project, and of the driver that speaks it.
  virtual std::string_view name() const noexcept = 0;
  /// What the protocol asks of the rest of the rig: channels, address, rate of the loop where it is known. Faults with
  /// their places in the project ("/rig/channels/2/get").
  virtual void check(const RigSpec& /*rig*/, std::optional<double> /*rate_hz*/, Checks& /*checks*/) const {}
  /// The setting without which nothing tells the device of STOP; "" where it is told, or acts by itself.
  virtual std::string_view missingStop() const { return {}; }
  /// Ticks without a new measurement after which the link counts as lost; 0: it counts no ticks.
  virtual int timeoutTicks() const noexcept { return 0; }
};
using RigProtocolPtr = std::shared_ptr<const RigProtocol>;

/// A protocol and the settings that its driver reads.
template <typename Spec>
class ProtocolOf : public RigProtocol {
 public:
  explicit ProtocolOf(Spec settings) : spec(std::move(settings)) {}
  const Spec spec;
};
/// The settings for the driver that speaks them; std::logic_error where the protocol is another one.
template <typename Spec>
const Spec& settingsOf(const RigProtocol* protocol) {
  const auto* own = dynamic_cast<const ProtocolOf<Spec>*>(protocol);
  if (own == nullptr) throw std::logic_error("a driver got the settings of another protocol");
  return own->spec;
}

/// Sentence of a protocol whose rig does not say by itself what it has.
inline constexpr const char* kNeedsChannels =
    "is missing; this protocol needs to know which values to set and to ask for. Add them.";

/// One member of the family. Its settings, and what it adds to a channel, are described in
/// resources/schema/connection/<name>.json; its help is resources/help/connection/<name>.md; its driver stands in
/// hardware/drivers.cpp.
struct ProtocolEntry {
  std::string_view name;
  /// `connection` and `channels` (an array) as the project has them; both keep their schema.
  RigProtocolPtr (*parse)(const Json& connection, const Json& channels);
};
/// All protocols there are, in the order in which they are offered.
std::span<const ProtocolEntry> rigProtocols() noexcept;

}  // namespace hyb
