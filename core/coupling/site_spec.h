#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json_fwd.h"

namespace hyb {

/// Reply to a client after the test has ended with a fault.
enum class SiteFaultAnswer : std::uint8_t { nan, silence };

/// The bench as experimental site: another program computes the NS, connects, sends trial displacements and requests
/// forces. Factors convert the client's units to SI; the protocol itself has none.
struct SiteSpec {
  std::string_view conversation = "generic-client";  // what the program speaks: hardware/conversations.h
  std::string listen = "tcp://127.0.0.1:8090";
  double length_factor = 1.0, force_factor = 1.0, time_factor = 1.0;  // m, N, s for one unit of the client
  std::vector<double> stiffness_n_per_m = {};  // [i * i], row by row: reply to the client's stiffness request
  SiteFaultAnswer on_fault = SiteFaultAnswer::nan;
};

/// Address and factors of a scheme's settings.
SiteSpec siteOf(const Json& settings, std::string_view conversation);

struct TargetExchange;
/// Throws InputError for a scheme without a way to the other program.
void requireExchange(const std::shared_ptr<TargetExchange>& exchange, std::string_view scheme);

}  // namespace hyb
