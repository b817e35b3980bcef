#pragma once
#include "core/feedforward/gap_feedback.h"

namespace hyb {

/// Proportional and integral feedback of the gap, u = -k_p g - k_i integral of g, with equal gains; each axis uses only
/// its own gap. Without an integral gain: a share of the largest stable one.
/// Source: A. Bartl et al., A hybrid testing method based on adaptive feed-forward filters, section 2.1, fig. 5.
struct GapPiSettings {
  double proportional_n_per_m = 0.0;
  double integral_n_per_m_s = 0.0;  // 0: from the share
  double share = 0.5;
};
CouplingSpecPtr gapPi(const GapPiSettings& settings);
CouplingSpecPtr parseGapPi(const Json& settings);
/// Gains N/m and N/(m s).
GapController piController(Eigen::Index axes, double step_s, double proportional, double integral);

}  // namespace hyb
