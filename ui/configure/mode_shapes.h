#pragma once
#include <vector>

#include "core/structure/partition.h"

namespace hyb::ui {

/// An undamped mode as it is drawn: motion of all DOF of the model, 0 where it has no part.
struct ModeShape {
  double frequency_hz = 0.0, damping_ratio = 0.0;
  Eigen::VectorXd motion;  // [n of the reference structure]
};

/// Whose modes: of the uncut structure, or of a side with its interface held.
enum class ModeOwner { whole, numerical, physical };

struct ModeSet {
  std::vector<ModeShape> whole, numerical, physical;  // ascending frequency
  const std::vector<ModeShape>& of(ModeOwner owner) const {
    return owner == ModeOwner::whole ? whole : owner == ModeOwner::numerical ? numerical : physical;
  }
};

/// The lowest modes of a partition in the DOF of the model (before actuator axes), at most `count` of each. May take a
/// while. Throws InputError like lowestModes.
ModeSet modeShapes(const Partition& partition, Eigen::Index count);

}  // namespace hyb::ui
