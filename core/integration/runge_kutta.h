#pragma once
#include <vector>

#include "core/integration/integrator.h"

namespace hyb {

/// Weights of an explicit Runge-Kutta method with s stages; the instants of the stages are the row sums of `a`.
struct ButcherTableau {
  std::vector<std::vector<double>> a;  // row i: i weights of the earlier stages
  std::vector<double> b;               // [s]
};

/// rk4, bogacki_shampine or dormand_prince_8.
const ButcherTableau& tableau(Scheme scheme);

}  // namespace hyb
