#pragma once
#include <memory>

#include "core/rig/device.h"
#include "core/rig/rig_spec.h"

namespace hyb {

/// A rig that speaks the HybridBench rig protocol (help page "Rig protocol") over TCP or a serial line. read() gives
/// the newest sample that has arrived: in real time without waiting; in free run it waits up to 0.5 s for the answer to
/// the last command, so that the same commands give the same samples. A command that is not answered by the next read
/// is stale; after `timeout_ticks` such reads in a row the link is lost and stays so. Free runs have no clock: there
/// the rig is asked for at least 5 s of silence before it stops by itself. Throws InputError for an address that is
/// none.
std::unique_ptr<Device> makeFramesDevice(const ConnectionSpec& connection, const DeviceChannels& channels);

}  // namespace hyb
