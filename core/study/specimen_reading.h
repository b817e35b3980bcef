#pragma once
#include "core/fidelity/face_model.h"
#include "core/project/project.h"

namespace hyb {

/// How the force of a row contains the motion of the specimen: exactly, for any motion of the rows.
///
/// A rig measures force and motion at one instant: v = s x, a = s^2 x with s = i angle / tick. The twin does not: its
/// actuator moves by its own law over each tick, and most of them read the acceleration as the mean over the last tick.
/// Therefore v and a follow from the actuator of the project, advanced from tick to tick, with a specimen of 1 N s/m
/// and one of 1 kg. Throws InputError for a twin that cannot be built.
RatesAt specimenReading(const Project& project);

}  // namespace hyb
