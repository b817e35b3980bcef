#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace hyb {

/// Reply to a client after the test has ended with a fault.
enum class SiteFaultAnswer : std::uint8_t { nan, silence };

/// The bench as experimental site: another program computes the NS, connects, sends trial displacements and requests
/// forces. Factors convert the client's units to SI; the protocol itself has none.
struct SiteSpec {
  std::string listen = "tcp://127.0.0.1:8090";
  int ramp_ticks = 100;                                               // from one target to the next, >= 1
  int settle_ticks = 20;                                              // then until the force is taken, >= 1
  double length_factor = 1.0, force_factor = 1.0, time_factor = 1.0;  // m, N, s for one unit of the client
  std::vector<double> stiffness_n_per_m;  // [i * i], row by row: reply to the client's stiffness request
  SiteFaultAnswer on_fault = SiteFaultAnswer::nan;
};

}  // namespace hyb
