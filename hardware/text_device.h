#pragma once
#include <memory>

#include "core/rig/device.h"
#include "core/rig/rig_spec.h"

namespace hyb {

/// An instrument for lines of text (SCPI, motion controllers) over TCP or a serial line, as a polled device. One
/// question at a time: changed commands are set, then the inputs are queried; the fault query follows every half
/// second. After a late or unreadable reply, no reply counts until its question is certain: the instrument has
/// identified itself, or every pending answer has come. Echoes are no replies. Throws InputError for invalid templates
/// and patterns.
std::unique_ptr<Device> makeTextDevice(const RigSpec& rig, const DeviceChannels& channels);

}  // namespace hyb
