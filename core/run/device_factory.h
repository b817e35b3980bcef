#pragma once
#include <functional>
#include <memory>

#include "core/rig/device.h"
#include "core/rig/rig_spec.h"

namespace hyb {

/// Makes the driver that a project asks for, not opened yet. Only the program's main room knows concrete ones. Throws
/// InputError where there is none for this connection.
using DeviceFactory = std::function<std::unique_ptr<Device>(const RigSpec&, const DeviceChannels&)>;

}  // namespace hyb
