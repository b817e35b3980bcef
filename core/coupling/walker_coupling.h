#pragma once
#include <vector>

#include "core/coupling/coupling_spec.h"
#include "core/force_stage/force_stage.h"
#include "core/gait/walker.h"

namespace hyb {

/// Coupling scheme "walker": the NS is the virtual pivot point model of a person with an amputated right leg, whose
/// foot is on the rig. Two axes: the position of the ankle along the leg above the unloaded foot on the ground, and the
/// angle of the leg from upright; driven by the force measured along the leg. From rest (the unloaded foot just touches
/// the ground, the leg upright) the foot moves to the start pose of the walker, then it walks; a fall ends the test.
/// The force of this tick is held over the following one, so the pose at its end is already known and is the input of
/// the compensator; target and channels remain those of this tick. Command = compensator(target, x).
///
/// The parameters of the linear model are taken from the computed side of the cut: body (mass, stiffness of the sound
/// leg), ankle (the small mass, stiffness and damping of the stump), trunk (inertia, at the axis of the angle).
/// Source: C. Insam, dissertation (TUM 2022), chapters 15 and 16.
struct WalkerSettings {
  WalkerParams params;  // parameters that the cut does not contain
  GaitStart start;
  double foot_height_m = 0.16;  // of the unloaded foot, below the cut
  double approach_s = 0.5;
  std::vector<ForceStageSpecPtr> stages;
};
/// Columns of the walker in the rows, in the order of WalkerColumn.
std::vector<Channel> walkerChannels();
CouplingSpecPtr walkerCoupling(WalkerSettings settings);
CouplingSpecPtr parseWalker(const Json& settings);

}  // namespace hyb
