#pragma once
#include <memory>

#include "core/rig/device.h"
#include "core/rig/rig_spec.h"

namespace hyb {

/// A driver of the user, as a polled device: one exchange() of the driver in each tick. The commands are limited to the
/// ranges of the driver. A driver that returns late, or without a value, makes the values stale; after three failures
/// in a row, or a crash, the link is lost. STOP calls stop() of the driver at once. If it has crashed or does not
/// return, its process is ended, and a new one opens the device for the stop. open() throws InputError for a driver
/// that the user has not accepted.
std::unique_ptr<Device> makeDriverDevice(const RigSpec& rig, const DeviceChannels& channels);

}  // namespace hyb
