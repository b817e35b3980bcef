#pragma once
#include "core/transfer/actuator.h"

namespace hyb {

/// Exciter without a controller of its own: its command is a force (a moment where the axis turns) on a mass that
/// hangs on a suspension and feels the specimen:
///   m x'' = gain u - k x - c x' - (force of the specimen)
/// With a stinger its mass moves by y, and drives the specimen (or the fixture, which then needs a mass) through it:
///   m y'' = gain u - k y - c y' - F,   F = ks (y - x) + cs (y' - x')
/// u: the command in N, late, held over the tick. Exact in time.
/// Source: A. Bartl et al., A hybrid testing method based on adaptive feed-forward filters, table 1 (ACT).
struct ExciterParams {
  double moving_mass_kg = 0.1;       // m, >= 0: beside the specimen's own mass at the interface
  double stiffness_n_per_m = 100.0;  // k
  double damping_n_s_per_m = 1.0;    // c
  double stinger_n_per_m = 0.0;      // ks; 0: rigid
  double stinger_n_s_per_m = 0.0;    // cs
};
ActuatorModelPtr exciter(const ExciterParams& params = {});
ActuatorSpec parseExciter(const Json& settings);

}  // namespace hyb
