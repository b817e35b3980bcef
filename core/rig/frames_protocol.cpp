#include "core/rig/frames_protocol.h"

#include "core/base/json.h"

namespace hyb {
namespace {

/// The rig performs its safe action by itself, and sends values in SI unless the channels define other units.
class FramesProtocol final : public ProtocolOf<FramesSpec> {
 public:
  using ProtocolOf::ProtocolOf;
  std::string_view name() const noexcept override { return "frames"; }
  int timeoutTicks() const noexcept override { return spec.timeout_ticks; }
};

}  // namespace

RigProtocolPtr protocolOf(const FramesSpec& spec) { return std::make_shared<const FramesProtocol>(spec); }

RigProtocolPtr parseFrames(const Json& connection, const Json& /*channels*/) {
  FramesSpec spec;
  read(connection, "timeout_ticks", spec.timeout_ticks);
  read(connection, "silence_s", spec.silence_s);
  readChoice(connection, "safe_action", {"hold", "ramp", "off"}, spec.safe_action);
  read(connection, "ramp_s", spec.ramp_s);
  std::string key_file;
  read(connection, "key_file", key_file);
  spec.key_file = key_file;
  return protocolOf(spec);
}

}  // namespace hyb
