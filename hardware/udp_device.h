#pragma once
#include <memory>

#include "core/loop/pacing.h"
#include "core/rig/device.h"
#include "core/rig/rig_spec.h"

namespace hyb {

/// Device of the "udp" protocol: one datagram each way in a tick, without a header (reference note on links, section
/// 2). Throws InputError for a layout that does not suit the channels. `clock` gives the times of sending and arrival.
std::unique_ptr<Device> makeUdpDevice(const RigSpec& rig, const DeviceChannels& channels, Clock& clock = systemClock());

}  // namespace hyb
