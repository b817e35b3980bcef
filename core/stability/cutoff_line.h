#pragma once
#include <optional>

#include "core/stability/delay_stability.h"

namespace hyb {

/// Smallest extra delay, s, up to max_delay_s at which a root lies on the line s = sigma + i cutoff (rad/s), sigma > 0.
/// If the loop is stable without extra delay, this root enters from above. There lambda e^{-s tau} = -1 for a loop
/// gain lambda(s), so that
///   tau = ln|lambda| / sigma   and   cutoff tau = arg(-lambda) + 2 pi m:
/// one unknown, sigma, along each gain. Source: Vizzaccaro et al., section 1 of the note.
std::optional<double> firstEntryThroughCutoff(const DelaySystem& system, double cutoff, double max_delay_s);

}  // namespace hyb
