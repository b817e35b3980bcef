#pragma once
#include "core/transfer/actuator.h"

namespace hyb {

/// Exciter without its own controller: its command is a force (a moment for a rotating axis) on a mass on a suspension,
/// with reaction of the specimen:
///   m x'' = gain u - k x - c x' - (force of the specimen)
/// With a stinger its mass moves by y, and drives the specimen (or the fixture, which then needs a mass) through the
/// stinger:
///   m y'' = gain u - k y - c y' - F,   F = ks (y - x) + cs (y' - x')
/// u: the delayed command in N, held over the tick. Exact in time.
/// Source: A. Bartl et al., A hybrid testing method based on adaptive feed-forward filters, table 1 (ACT).
struct ExciterParams {
  double moving_mass_kg = 0.1;       // m, >= 0: in addition to the specimen's own mass at the interface
  double stiffness_n_per_m = 100.0;  // k
  double damping_n_s_per_m = 1.0;    // c
  double stinger_n_per_m = 0.0;      // ks; 0: rigid
  double stinger_n_s_per_m = 0.0;    // cs
};
ActuatorModelPtr exciter(const ExciterParams& params = {});
ActuatorSpec parseExciter(const Json& settings);

}  // namespace hyb
