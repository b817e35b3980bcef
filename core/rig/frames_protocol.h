#pragma once
#include <cstdint>
#include <filesystem>

#include "core/rig/protocol.h"

namespace hyb {

/// What a rig does by itself when commands cease or the bench says STOP.
enum class SafeAction : std::uint8_t { hold, ramp, off };

/// HybridBench rig protocol: one binary frame each way in every tick.
struct FramesSpec {
  int timeout_ticks = 50;  // without a new measurement: link lost; see sufficientTimeoutTicks()
  double silence_s = 0.1;  // without a command: the rig takes its safe action
  SafeAction safe_action = SafeAction::ramp;
  double ramp_s = 0.5;
  std::filesystem::path key_file = {};  // shared with the rig; empty: none
};

RigProtocolPtr protocolOf(FramesSpec spec);
RigProtocolPtr parseFrames(const Json& connection, const Json& channels);

}  // namespace hyb
