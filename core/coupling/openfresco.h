#pragma once
#include <memory>
#include <vector>

#include "core/coupling/coupling_spec.h"
#include "core/tick/target_exchange.h"

namespace hyb {

struct OpenFrescoPath {
  int step_ticks = 100;        // of the bench for one step of the model, >= 1
  double predict_share = 0.6;  // of a step in which the bench extrapolates, 0 to below 1
  int order = 2;               // 0 to 2, of the extrapolation; 0: the bench stands at each target
  int settle_ticks = 0;        // standing before the measured values are taken; of order 0 alone
  double silence_s = 60.0;     // of a hold, after which the model is lost; 0: never
};

/// Coupling scheme of a test that an OpenFresco model leads: the bench reaches each target one step after the one
/// before, gives back what it measures there, and extrapolates while the model computes the next. It holds if the model
/// is late, and refuses targets beyond `reach` by staying where it was. Command = compensator(target, x). A target that
/// is NaN becomes this tick's target, for the safety chain, but never the command.
std::unique_ptr<CouplingScheme> makeOpenFresco(std::vector<Dof> interface, const OpenFrescoPath& path, double step_s,
                                               std::unique_ptr<Compensator> compensator,
                                               std::shared_ptr<TargetExchange> exchange,
                                               std::vector<TargetReach> reach = {});
CouplingSpecPtr parseOpenFresco(const Json& settings);

}  // namespace hyb
