#pragma once
#include "core/transfer/specimen_law.h"

namespace hyb {

/// Elastic ground after a gap, with a dashpot that acts only in contact; it never pulls.
struct ContactParams {
  double stiffness_n_per_m = 1e4;
  double damping_n_s_per_m = 0.0;
  double gap_m = 0.0;
  bool above = false;  // the ground is on the side of larger displacements
};
SpecimenLawPtr contactLaw(const ContactParams& params);
SpecimenLawPtr parseContact(const Json& settings);

}  // namespace hyb
