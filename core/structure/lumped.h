#pragma once
#include <string>
#include <vector>

#include "core/structure/model.h"

namespace hyb {

struct LumpedMass {
  std::string name;
  double mass_kg = 1.0;  // > 0
};

/// A wall or shaking table whose motion is given by the excitation.
struct LumpedSupport {
  std::string name;
};

/// Spring and damper in parallel between two masses, or a mass and a support.
struct LumpedLink {
  std::string name;
  std::string from, to;  // names of masses or supports
  double stiffness_n_per_m = 0.0;
  double damping_n_s_per_m = 0.0;
};

/// Lumped masses that move along one line (+x for all), with springs, dampers and moving supports.
struct LumpedStructure {
  std::vector<LumpedMass> masses;  // one DOF each, in this order
  std::vector<LumpedSupport> supports;
  std::vector<LumpedLink> links;
};

/// Elements: every mass, then every link, by their names. Throws InputError with all faults (pointers as
/// "/structure/masses/1/mass_kg"): non-positive or non-finite values, names empty, unknown or given twice (masses,
/// supports and links share one list), a link from a name to itself or between two supports or without stiffness and
/// damping, a mass that no chain of links connects to a support.
Model lumpedModel(const LumpedStructure& structure);

}  // namespace hyb
