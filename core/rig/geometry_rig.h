#pragma once
#include <memory>
#include <vector>

#include "core/rig/rig.h"
#include "core/rig/rig_geometry.h"

namespace hyb {

/// A rig whose legs move a platform. Interface axis i is the component geometry.axes[i] of the pose. The channels of
/// the inner rig are legs: its commands and its measured are strokes (length - length as drawn, m, positive where the
/// leg is longer), its forces are those of the PS on the legs, positive in the direction in which the leg lengthens.
///
/// - write(): strokes of the commanded pose, exact; their rates by the Jacobian.
/// - read(): pose by Newton's method from the pose of the last tick; forces J^T f - weight, or those of the load cell.
///   With acceleration_hz they are also without the inertia force of the platform.
/// - A commanded pose that a leg cannot reach, or that is singular, is not sent. Then write() returns fault, and
///   failure() names pose and leg. read() does so for a measured pose that is singular, or if no pose has these leg
///   lengths. open() ends this. If a reading is NaN, all motions are NaN (a force: all forces), and the next pose
///   starts from the last good one.
/// - Further columns, after those of the inner rig: geometryChannels().
/// - Deliberate faults, injected in the inner rig, affect the leg with that number.
std::unique_ptr<Rig> makeGeometryRig(std::unique_ptr<Rig> rig, RigGeometry geometry, double step_s);

/// `leg_<i>` and `leg_command_<i>`: measured and commanded length; `leg_force_<i>`, if forces are those of legs;
/// `pose_<component>`: measured moves that are not interface axes; `pose_condition`.
std::vector<Channel> geometryChannels(const RigGeometry& geometry);

/// The twin of such a rig: `twin` moves the interface axes, and this one has the channels of the legs that follow them.
/// Other components of the pose are 0. The weight of the platform rests on the legs.
std::unique_ptr<Rig> makeLeggedTwin(std::unique_ptr<Rig> twin, RigGeometry geometry);

}  // namespace hyb
