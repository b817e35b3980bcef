#pragma once
#include <memory>
#include <span>
#include <string_view>

#include "core/rig/device.h"
#include "core/rig/rig_spec.h"

namespace hyb {

/// Who speaks a protocol.
struct Driver {
  std::string_view protocol;
  /// Not opened yet. Throws InputError for a rig that the protocol does not suit.
  std::unique_ptr<Device> (*make)(const RigSpec& rig, const DeviceChannels& channels);
};
/// One for each protocol there is.
std::span<const Driver> drivers() noexcept;

/// The driver that the rig's connection asks for; a DeviceFactory. Throws InputError where no connection is described.
std::unique_ptr<Device> makeDevice(const RigSpec& rig, const DeviceChannels& channels);

}  // namespace hyb
