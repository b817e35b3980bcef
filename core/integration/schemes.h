#pragma once
#include "core/integration/integrator.h"

namespace hyb {

std::unique_ptr<Integrator> makeNewmark(const SystemMatrices& system, double step_s);
std::unique_ptr<Integrator> makeExact(const SystemMatrices& system, double step_s, bool hold);

}  // namespace hyb
