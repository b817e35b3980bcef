#pragma once
#include "core/transfer/specimen_law.h"

namespace hyb {

/// Elastic ground that is reached after a gap and pushes back, with a dashpot that acts in contact alone; it never
/// pulls.
struct ContactParams {
  double stiffness_n_per_m = 1e4;
  double damping_n_s_per_m = 0.0;
  double gap_m = 0.0;
  bool above = false;  // the ground stands on the side of larger displacements
};
SpecimenLawPtr contactLaw(const ContactParams& params);
SpecimenLawPtr parseContact(const Json& settings);

}  // namespace hyb
