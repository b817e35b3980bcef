#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/coupling/coupling_spec.h"
#include "core/force_stage/force_stage.h"
#include "core/integration/integrator.h"
#include "core/structure/partition.h"

namespace hyb {

/// Coupling scheme "tracking": the NS is integrated in time, driven by the measured force; command =
/// compensator(target, x). The uncut reference structure is integrated in parallel with the same integrator; it
/// provides z* and the emulated forces F = -(M a + C v + K x)_PS at the interface. The partition's NS may be reduced,
/// its PS is not. ahead: the force of this tick is held over the following tick, so the motion at its end is already
/// known and is the input of the compensator; target, target rate and reference remain those of this tick. Throws
/// InputError (/coupling/ahead) for a result of aheadFault(). Force stages change measured forces, never emulated ones.
/// Without `reference` there is neither z* nor an emulated force. excitation: defines the possible loads. With actuator
/// joints at an offset (Partition::geometry) targets, commands, measured motion and z* are those of the actuators, and
/// forces are those of the linear axes.
struct TrackingOptions {
  bool modelled_force = false;      // the force is computed from the measured motion: ModelledForce
  std::vector<std::string> record;  // DOF with columns of their own: RecordedDof
};
std::unique_ptr<CouplingScheme> makeTracking(const Partition& partition, const IntegratorSpec& integrator,
                                             double step_s, std::unique_ptr<Compensator> compensator,
                                             bool ahead = false, ForceStages stages = {}, bool reference = true,
                                             const ExcitationValue& excitation = {},
                                             const TrackingOptions& options = {});
CouplingSpecPtr tracking();
CouplingSpecPtr parseTracking(const Json& settings);

}  // namespace hyb
