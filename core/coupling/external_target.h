#pragma once
#include <memory>
#include <vector>

#include "core/coupling/coupling_spec.h"
#include "core/tick/target_exchange.h"

namespace hyb {

struct ExternalTargetSpec {
  int ramp_ticks = 100;   // straight line from the present target to a new one, >= 1
  int settle_ticks = 20;  // sent to the new target before its force is taken; periods missed do not count
};

/// Coupling scheme of a test whose NS is computed elsewhere: the target comes from outside, is ramped to, and what is
/// measured once it stands still goes back. Command = compensator(target, x). A target that is not a number becomes
/// this tick's target, for the safety chain to see, and never the command. After a hold it ramps again from zero to the
/// target that was held.
std::unique_ptr<CouplingScheme> makeExternalTarget(std::vector<Dof> interface, const ExternalTargetSpec& spec,
                                                   double step_s, std::unique_ptr<Compensator> compensator,
                                                   std::shared_ptr<TargetExchange> exchange);
CouplingSpecPtr parseExternal(const Json& settings);

}  // namespace hyb
