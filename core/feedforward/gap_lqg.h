#pragma once
#include "core/feedforward/gap_feedback.h"

namespace hyb {

/// Least-squares control of the model with a Kalman filter that only observes the gap: the commands minimise the mean
/// of weight g^2 + u^2, from the estimated state, with disturbing forces on every actuator and noise on every gap; the
/// filter reads the gap of its own tick. With the true state instead of the filter no error of the mass causes
/// instability; with the filter, see the source's fig. 7.
/// Source: A. Bartl et al., A hybrid testing method based on adaptive feed-forward filters, section 2.1; K. J. Astrom,
/// B. Wittenmark, Computer-Controlled Systems, ch. 11.
struct GapLqgSettings {
  double weight_n2_per_m2 = 1e9;        // of the gap relative to the command
  double disturbance_n2_per_m2 = 1e10;  // variance of the disturbing force over that of the noise
};
CouplingSpecPtr gapLqg(const GapLqgSettings& settings);
CouplingSpecPtr parseGapLqg(const Json& settings);
/// Throws InputError ("/coupling/scheme") if the model cannot be stabilised by its commands, or not observed in its
/// gaps.
GapController lqgController(const GapModel& model, const GapLqgSettings& settings);

}  // namespace hyb
