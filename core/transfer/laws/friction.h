#pragma once
#include "core/transfer/specimen_law.h"

namespace hyb {

/// Coulomb friction with viscous damping in parallel: sticks as an elastic joint up to the friction force, then slides
/// with it.
struct FrictionParams {
  double friction_n = 1.0;
  double stick_stiffness_n_per_m = 1e5;
  double damping_n_s_per_m = 0.0;
};
SpecimenLawPtr frictionLaw(const FrictionParams& params);
SpecimenLawPtr parseFriction(const Json& settings);

}  // namespace hyb
