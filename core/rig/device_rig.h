#pragma once
#include <memory>
#include <vector>

#include "core/data/channel.h"
#include "core/rig/device.h"
#include "core/rig/rig_spec.h"

namespace hyb {

/// A rig over a device: raw values become motions and forces of the interface and back, as the channels say
/// (rigChannels()).
///
/// - A raw input that is not a number, or not known yet, keeps its last scaled value; the tick is stale.
/// - Filters are one-pole low-passes that start at the first value. Interlock inputs of the device come first, then
///   the channels with that role; one that is not a number counts as open once it has been known.
/// - Status: link lost (stays so until open()), fault or stopped, emergency stop or interlock, stale, saturated: the
///   first that holds.
/// - Further columns: raw_<name> of every input, monitor_<name>, device_status, link_errors.
/// - A command that is not a number is refused and the last one stands; one beyond the raw range is sent at its end and
///   the next reading says saturated.
///
/// `channels` are sound (checked with the project).
std::unique_ptr<Rig> makeDeviceRig(std::unique_ptr<Device> device, std::vector<ChannelSpec> channels,
                                   std::size_t interfaces, double rate_hz);

/// The further columns of a rig with these channels.
std::vector<Channel> deviceRigChannels(const std::vector<ChannelSpec>& channels);

}  // namespace hyb
