#pragma once
#include <memory>

#include "core/run/external_site.h"

namespace hyb {

/// The bench as experimental site for OpenSees' and OpenFresco's generic clients: a thread that listens, serves one
/// client at a time and listens again. While a client waits for a force, the reply is held back until the rig has
/// reached the target. The connection is never closed before the client ends, because clients do not survive that.
/// Throws DeviceError if it cannot listen.
std::unique_ptr<ExternalSite> makeOpenSeesSite(const SiteSpec& site, std::shared_ptr<TargetExchange> exchange);

}  // namespace hyb
