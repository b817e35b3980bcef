#pragma once
#include <memory>

#include "core/coupling/coupling_spec.h"
#include "core/force_stage/force_stage.h"
#include "core/integration/integrator.h"
#include "core/structure/partition.h"

namespace hyb {

/// Coupling scheme "tracking": the NS is integrated in time, driven by the measured force; command =
/// compensator(target, x). Beside it runs the uncut reference structure with the same integrator; it gives z* and the
/// emulated forces F = -(M a + C v + K x)_PS at the interface. The partition's NS may be reduced, its PS is whole.
/// ahead: the force of this tick is held over the tick that follows, so the motion at its end is known already and is
/// what the compensator gets; target, target rate and reference stay those of this tick. Throws InputError
/// (/coupling/ahead) where aheadFault() finds one. Force stages change measured forces, never emulated ones. Without
/// `reference` there is neither z* nor an emulated force. excitation: says which loads there can be.
std::unique_ptr<CouplingScheme> makeTracking(const Partition& partition, const IntegratorSpec& integrator,
                                             double step_s, std::unique_ptr<Compensator> compensator,
                                             bool ahead = false, ForceStages stages = {}, bool reference = true,
                                             const ExcitationValue& excitation = {});
CouplingSpecPtr tracking();
CouplingSpecPtr parseTracking(const Json& settings);

}  // namespace hyb
