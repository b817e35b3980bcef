#pragma once
#include "core/feedforward/gap_feedback.h"

namespace hyb {

/// Least-squares control of the model with a Kalman filter that sees the gap alone: commands that make the mean of
/// weight g^2 + u^2 least, from the state that the filter estimates, with forces that disturb every actuator beside its
/// command and noise on every gap, the filter reading the gap of its own tick. With the state itself in place of the
/// filter no error of the mass makes it unstable; with it, the source's fig. 7.
/// Source: A. Bartl et al., A hybrid testing method based on adaptive feed-forward filters, section 2.1; K. J. Astrom,
/// B. Wittenmark, Computer-Controlled Systems, ch. 11.
struct GapLqgSettings {
  double weight_n2_per_m2 = 1e9;        // of the gap beside the command
  double disturbance_n2_per_m2 = 1e10;  // variance of the disturbing force over that of the noise
};
CouplingSpecPtr gapLqg(const GapLqgSettings& settings);
CouplingSpecPtr parseGapLqg(const Json& settings);
/// Throws InputError ("/coupling/scheme"): the model cannot be made stable by its commands, or not be seen in its gaps.
GapController lqgController(const GapModel& model, const GapLqgSettings& settings);

}  // namespace hyb
