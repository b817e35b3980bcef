#pragma once
#include <memory>

#include "core/run/external_site.h"

namespace hyb {

/// The bench as laboratory of a program that computes the NS and leads: a thread that listens, serves one client at a
/// time in the conversation of the site and listens again. While a client waits for measured values, the reply is held
/// back until the rig has reached the target. The connection of a client that has begun is never closed before the
/// client ends, because clients do not survive that. Throws DeviceError if it cannot listen.
std::unique_ptr<ExternalSite> makeProgramSite(const SiteSpec& site, std::shared_ptr<TargetExchange> exchange);

}  // namespace hyb
