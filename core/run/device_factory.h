#pragma once
#include <functional>
#include <memory>

#include "core/rig/device.h"
#include "core/rig/rig_spec.h"

namespace hyb {

/// Makes the driver that a project requires, not opened yet. Only app/ knows concrete drivers. Throws InputError if no
/// driver exists for this connection.
using DeviceFactory = std::function<std::unique_ptr<Device>(const RigSpec&, const DeviceChannels&)>;

}  // namespace hyb
