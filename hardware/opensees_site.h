#pragma once
#include <memory>

#include "core/run/external_site.h"

namespace hyb {

/// The bench as experimental site for OpenSees' and OpenFresco's generic clients: a thread that listens, serves one
/// client at a time and goes back to listening. While a client waits for a force, the answer is withheld until the rig
/// stands at the target; the connection is never closed before the client's own end, because clients do not survive
/// that. Throws DeviceError: it cannot listen there.
std::unique_ptr<ExternalSite> makeOpenSeesSite(const SiteSpec& site, std::shared_ptr<TargetExchange> exchange);

}  // namespace hyb
