#pragma once
#include <memory>
#include <vector>

#include "core/coupling/coupling_spec.h"
#include "core/tick/target_exchange.h"

namespace hyb {

struct ExternalTargetSpec {
  int ramp_ticks = 100;   // straight line from the present target to a new one, >= 1
  int settle_ticks = 20;  // ticks at the new target before its force is taken; missed periods do not count
};

/// Coupling scheme of a test whose NS is computed by another program: the target comes from outside, is approached by a
/// ramp, and the values measured at rest are sent back. Command = compensator(target, x). A target that is NaN becomes
/// this tick's target, for the safety chain, but never the command. After a hold it ramps from zero to the held target.
std::unique_ptr<CouplingScheme> makeExternalTarget(std::vector<Dof> interface, const ExternalTargetSpec& spec,
                                                   double step_s, std::unique_ptr<Compensator> compensator,
                                                   std::shared_ptr<TargetExchange> exchange);
CouplingSpecPtr parseExternal(const Json& settings);

}  // namespace hyb
