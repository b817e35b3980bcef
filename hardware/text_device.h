#pragma once
#include <memory>

#include "core/rig/device.h"
#include "core/rig/rig_spec.h"

namespace hyb {

/// An instrument that takes and gives lines of text (SCPI, motion controllers) over TCP or a serial line, as a polled
/// device. One question at a time: the commands that have changed are set, then the inputs are asked for; the fault
/// query comes every half a second. After a reply that is late or cannot be read, no reply counts until it is certain
/// to which question it belongs: the instrument has identified itself, or every answer that is owed has come. Echoes of
/// what was sent are no replies. Throws InputError: templates and patterns that do not fit.
std::unique_ptr<Device> makeTextDevice(const RigSpec& rig, const DeviceChannels& channels);

}  // namespace hyb
