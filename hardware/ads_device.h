#pragma once
#include <memory>

#include "core/rig/device.h"
#include "core/rig/rig_spec.h"

namespace hyb {

/// Beckhoff controller over ADS, as a polled device: in each tick one sum write of the commands and one sum read of the
/// inputs, sent together, so that they take one round trip. State of the PLC runtime, version of its symbols and its
/// cycle are checked: a PLC that leaves RUN, restarts, stops its task or gets another program is a fault. A late, wrong
/// or refused exchange makes the values stale; after three in a row the link is lost. A broken connection is reopened
/// within `connect_s`, and stale handles are fetched again. STOP writes `stop_values` at once; it is confirmed if the
/// controller accepted all of them and is in RUN. Throws InputError for AMS NetIds that are none.
std::unique_ptr<Device> makeAdsDevice(const RigSpec& rig, const DeviceChannels& channels);

}  // namespace hyb
