#pragma once
#include <memory>

#include "hardware/polled_server.h"

namespace hyb {

/// A Beckhoff controller whose PLC program has the variables of the project, and runs as fast as the rig: read, write,
/// read-write with names, handles, symbol entries and sum commands, state, device information. A PLC whose rig has
/// stopped by itself is in STOP, and takes no more commands.
std::unique_ptr<Responder> makeAdsResponder(const RigSpec& project, ServedRig& rig);

}  // namespace hyb
