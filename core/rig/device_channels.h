#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/rig/device.h"
#include "core/rig/rig_spec.h"

namespace hyb {

/// Effective channels of the rig: those of the project, or, without any, command_i, command_rate_i, measured_i and
/// force_i of each interface in SI, one to one. `sensors`: number of displacement sensors; 0: one for each interface.
/// `monitors`: further columns, in m, that the coupling scheme reads.
std::vector<ChannelSpec> rigChannels(const RigSpec& rig, std::size_t interfaces, std::size_t sensors = 0,
                                     const std::vector<std::string>& monitors = {});

bool isOutput(ChannelRole role) noexcept;
/// "/rig/channels/2/gain": pointer to a channel's setting in the project.
std::string channelPlace(std::size_t channel, const char* key);
/// Outputs and inputs of a device, each in the order of the channels.
DeviceChannels deviceChannels(const std::vector<ChannelSpec>& channels, double rate_hz);

/// Scaled value of a raw value of the channel: m, m/s or N; for monitors the unit of their gain. Outside a table its
/// last two points are extrapolated. Real-time safe.
double scaledValue(const ChannelSpec& channel, double raw) noexcept;
/// Raw value for `scaled`, the inverse. Real-time safe.
double rawValue(const ChannelSpec& channel, double scaled) noexcept;
/// Interlock inputs: open above `open_above`, reversed ones below; NaN counts as open. Real-time safe.
bool interlockOpen(const ChannelSpec& channel, double raw) noexcept;

}  // namespace hyb
