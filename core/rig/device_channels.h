#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/rig/device.h"
#include "core/rig/rig_spec.h"

namespace hyb {

/// Channels of the rig as they count: those of the project, or, where it names none, command_i, command_rate_i,
/// measured_i and force_i of each interface in SI, one to one. `sensors`: displacement channels count these; 0: one for
/// each interface.
/// `monitors`: further columns, in m, that the coupling scheme reads.
std::vector<ChannelSpec> rigChannels(const RigSpec& rig, std::size_t interfaces, std::size_t sensors = 0,
                                     const std::vector<std::string>& monitors = {});

bool isOutput(ChannelRole role) noexcept;
/// "/rig/channels/2/gain": the place of a channel's setting in the project.
std::string channelPlace(std::size_t channel, const char* key);
/// What a device is asked for: outputs and inputs, each in the order of the channels.
DeviceChannels deviceChannels(const std::vector<ChannelSpec>& channels, double rate_hz);

/// What a raw value of the channel means: m, m/s or N; for monitors what their gain makes of it. Beyond its ends the
/// table goes on along its last two points. Real-time safe.
double scaledValue(const ChannelSpec& channel, double raw) noexcept;
/// The raw value that means `scaled`: the other way round. Real-time safe.
double rawValue(const ChannelSpec& channel, double scaled) noexcept;
/// Interlock inputs: open above `open_above`, reversed ones below; not a number counts as open. Real-time safe.
bool interlockOpen(const ChannelSpec& channel, double raw) noexcept;

}  // namespace hyb
