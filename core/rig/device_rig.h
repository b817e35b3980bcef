#pragma once
#include <memory>
#include <vector>

#include "core/data/channel.h"
#include "core/rig/device.h"
#include "core/rig/rig_spec.h"

namespace hyb {

/// A rig that uses a device: converts raw values to motions and forces of the interface and back, as defined by the
/// channels (rigChannels()).
///
/// - A raw input that is NaN or unknown keeps its last scaled value; the tick is stale.
/// - Filters are one-pole low-passes that start at the first value. Interlock inputs of the device come first, followed
///   by the channels with that role; NaN counts as open once a value has been known.
/// - Status: the first of these that is true: link lost (until open()), fault or stopped, emergency stop or interlock,
///   stale, saturated.
/// - Further columns: `raw_<name>` of every input, `monitor_<name>`, device_status, link_errors.
/// - A command that is NaN is refused and the last one is kept; one beyond the raw range is sent at its limit and the
///   next reading is saturated.
///
/// `channels` are valid (checked with the project).
std::unique_ptr<Rig> makeDeviceRig(std::unique_ptr<Device> device, std::vector<ChannelSpec> channels,
                                   std::size_t interfaces, double rate_hz);

/// The further columns of a rig with these channels.
std::vector<Channel> deviceRigChannels(const std::vector<ChannelSpec>& channels);

}  // namespace hyb
