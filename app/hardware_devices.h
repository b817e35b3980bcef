#pragma once
#include <memory>

#include "core/rig/device.h"
#include "core/rig/rig_spec.h"

namespace hyb::app {

/// The driver that a project's connection asks for; a DeviceFactory. Throws InputError where there is none.
std::unique_ptr<Device> makeHardwareDevice(const RigSpec& rig, const DeviceChannels& channels);

}  // namespace hyb::app
