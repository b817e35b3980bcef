#pragma once
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/checks.h"
#include "core/base/json_fwd.h"
#include "core/compensation/plug_in_consent.h"

namespace hyb {

struct RigSpec;

/// Settings of a protocol, immutable and shared. The program uses protocols through this interface; only the driver
/// depends on a particular one.
class RigProtocol {
 public:
  virtual ~RigProtocol() = default;
  /// Name in the project, and of its driver.
  virtual std::string_view name() const noexcept = 0;
  /// Requirements of the protocol for the rest of the rig: channels, address, rate of the loop if known. Faults with
  /// their places in the project ("/rig/channels/2/get").
  virtual void check(const RigSpec& /*rig*/, std::optional<double> /*rate_hz*/, Checks& /*checks*/) const {}
  /// The setting without which the device receives no STOP; "" if it receives it, or stops by itself.
  virtual std::string_view missingStop() const { return {}; }
  /// True: its addresses are "udp://HOST:PORT"; false: TCP or a serial port.
  virtual bool datagrams() const noexcept { return false; }
  /// True: the clock of the rig begins the ticks, so that an answer comes with the next reading (lead.h).
  virtual bool leads() const noexcept { return false; }
  /// Ticks without a new measurement until the link counts as lost; 0: no such limit.
  virtual int timeoutTicks() const noexcept { return 0; }
  /// Text in place of an address, for a protocol that has none: "driver card.so"; "" if the connection has one.
  virtual std::string ownAddress() const { return {}; }
  /// External programs that its driver runs; each must be accepted before.
  virtual std::vector<PlugInFile> libraries() const { return {}; }
  /// Schema of "settings" of the connection, where such a program describes them; null otherwise.
  virtual const Json* describedSettings() const noexcept { return nullptr; }
};
using RigProtocolPtr = std::shared_ptr<const RigProtocol>;

/// A protocol with the settings of its driver.
template <typename Spec>
class ProtocolOf : public RigProtocol {
 public:
  explicit ProtocolOf(Spec settings) : spec(std::move(settings)) {}
  const Spec spec;
};
/// The settings for its driver; std::logic_error for another protocol.
template <typename Spec>
const Spec& settingsOf(const RigProtocol* protocol) {
  const auto* own = dynamic_cast<const ProtocolOf<Spec>*>(protocol);
  if (own == nullptr) throw std::logic_error("a driver got the settings of another protocol");
  return own->spec;
}

/// Message for a protocol whose rig does not report its channels.
inline constexpr const char* kNeedsChannels =
    "is missing; this protocol needs a list of the values to set and to query. Add the channels.";

/// One member of the family. `resources/schema/connection/<name>.json` describes its settings and its additions to a
/// channel; its help is `resources/help/connection/<name>.md`; its driver is in hardware/drivers.cpp.
struct ProtocolEntry {
  std::string_view name;
  /// `connection` and `channels` (an array) from the project; both satisfy their schema. Paths of files are resolved.
  RigProtocolPtr (*parse)(const Json& connection, const Json& channels);
};
/// All protocols in display order.
std::span<const ProtocolEntry> rigProtocols() noexcept;

}  // namespace hyb
