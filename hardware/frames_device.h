#pragma once
#include <memory>

#include "core/rig/device.h"
#include "core/rig/rig_spec.h"

namespace hyb {

/// A rig with the HybridBench rig protocol (help page "Rig protocol") over TCP or a serial line. read() returns the
/// newest sample: in real time without waiting; in free run it waits up to 0.5 s for the answer to the last command, so
/// that the same commands produce the same samples. A command without an answer by the next read is stale; after
/// `timeout_ticks` such reads in a row the link is lost permanently. Free runs have no clock: there the rig must
/// tolerate at least 5 s of silence before it stops by itself. Throws InputError for an invalid address.
std::unique_ptr<Device> makeFramesDevice(const ConnectionSpec& connection, const DeviceChannels& channels);

}  // namespace hyb
