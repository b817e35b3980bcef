#pragma once

namespace hyb {

/// Serves a driver at one end of a pair of sockets (hardware/driver_wire.h), in a process of its own or on a thread of
/// the bench, until the other end is closed. `library`: descriptor of its file. Stops and closes the driver before it
/// returns; an armed driver is also stopped after the time without a request that the bench set, its watchdog.
/// Closes both descriptors.
void serveDriver(int socket, int library);

}  // namespace hyb
