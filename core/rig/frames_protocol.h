#pragma once
#include <cstdint>
#include <filesystem>

#include "core/rig/protocol.h"

namespace hyb {

/// Action of a rig by itself when commands stop or the bench sends STOP.
enum class SafeAction : std::uint8_t { hold, ramp, off };

/// HybridBench rig protocol: one binary frame each way in every tick.
struct FramesSpec {
  int timeout_ticks = 50;  // ticks without a new measurement until the link is lost; see sufficientTimeoutTicks()
  double silence_s = 0.1;  // time without a command until the rig performs its safe action
  SafeAction safe_action = SafeAction::ramp;
  double ramp_s = 0.5;
  std::filesystem::path key_file = {};  // shared with the rig; empty: none
};

RigProtocolPtr protocolOf(const FramesSpec& spec);
RigProtocolPtr parseFrames(const Json& connection, const Json& channels);

}  // namespace hyb
