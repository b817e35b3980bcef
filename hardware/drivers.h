#pragma once
#include <memory>
#include <span>
#include <string_view>

#include "core/rig/device.h"
#include "core/rig/rig_spec.h"

namespace hyb {

/// Driver of one protocol.
struct Driver {
  std::string_view protocol;
  /// Makes a closed device. Throws InputError for a rig that does not suit the protocol.
  std::unique_ptr<Device> (*make)(const RigSpec& rig, const DeviceChannels& channels);
};
/// One per protocol.
std::span<const Driver> drivers() noexcept;

/// The driver of the rig's connection; a DeviceFactory. Throws InputError without a connection.
std::unique_ptr<Device> makeDevice(const RigSpec& rig, const DeviceChannels& channels);

}  // namespace hyb
