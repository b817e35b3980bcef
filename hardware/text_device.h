#pragma once
#include <memory>

#include "core/rig/device.h"
#include "core/rig/rig_spec.h"

namespace hyb {

/// An instrument that takes and gives lines of text (SCPI, motion controllers) over TCP or a serial line, as a polled
/// device. One question at a time: the commands that have changed are set, then the inputs are asked for; the fault
/// query comes every half a second. After a reply that is late or cannot be read, whatever still arrives is thrown
/// away until the line is silent for 50 ms, and the instrument must identify itself again. Throws InputError: templates
/// and patterns that do not fit.
std::unique_ptr<Device> makeTextDevice(const RigSpec& rig, const DeviceChannels& channels);

}  // namespace hyb
