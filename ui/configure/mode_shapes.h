#pragma once
#include <vector>

#include "core/structure/partition.h"

namespace hyb::ui {

/// An undamped mode for drawing: motion of all DOF of the model, 0 at DOF outside the mode's system.
struct ModeShape {
  double frequency_hz = 0.0, damping_ratio = 0.0;
  Eigen::VectorXd motion;  // [n of the reference structure]
};

/// Owner of modes: the uncut structure, or one side with its interface held.
enum class ModeOwner { whole, numerical, physical };

struct ModeSet {
  std::vector<ModeShape> whole, numerical, physical;  // ascending frequency
  const std::vector<ModeShape>& of(ModeOwner owner) const {
    return owner == ModeOwner::whole ? whole : owner == ModeOwner::numerical ? numerical : physical;
  }
};

/// The lowest modes of a partition in the DOF of the model (before actuator axes), at most `count` of each. Slow.
/// Throws InputError like lowestModes.
ModeSet modeShapes(const Partition& partition, Eigen::Index count);

}  // namespace hyb::ui
