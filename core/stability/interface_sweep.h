#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "core/stability/delay_stability.h"
#include "core/structure/model.h"

namespace hyb {

/// One possible location of the cut.
struct CutPoint {
  double position_m = 0.0;
  std::optional<Crossing> critical;  // none: stable up to the longest analysed delay
  double numerical_clamped_hz = 0.0,
         physical_clamped_hz = 0.0;  // lowest clamped-interface frequencies; 0 = no inner DOF
  std::string fault;                 // reason why no cut is possible here; empty = possible
};

/// Map "Where may I cut?": critical delay over the position of the cut along x or y. Stops early if progress(done,
/// total) returns false; the remaining points then have a `fault`. Points are independent; up to `threads` of them run
/// at once, and one thread at a time reports the progress. Throws InputError for an invalid cut-off or delay.
std::vector<CutPoint> sweepInterface(const Model& model, const CutByPosition& like,
                                     const std::vector<double>& positions_m, double cutoff_hz, double max_delay_s,
                                     int threads = 1,
                                     const std::function<bool(std::size_t, std::size_t)>& progress = {});

}  // namespace hyb
