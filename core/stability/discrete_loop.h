#pragma once
#include <Eigen/Core>

#include "core/compensation/prediction_weights.h"
#include "core/integration/integrator.h"
#include "core/structure/partition.h"
#include "core/transfer/params.h"

namespace hyb {

/// x_{k+1} = A x_k + B u_k, y_k = C x_k + D u_k.
struct DiscreteSystem {
  Eigen::MatrixXd a, b, c, d;
};
/// The integrator from interface forces (at the tick) to interface displacement and velocity (at the same tick).
DiscreteSystem discreteIntegrator(const IntegratorSpec& spec, const Partition& partition, double tick_s);
/// Actuators and specimen from commands (position, rate; written at tick k) to motion and force read at tick k.
DiscreteSystem discreteTwin(const Partition& partition, const TwinParams& params, double tick_s);

/// Largest eigenvalue of the loop tick to tick, compensator none. Below 1: stable. Free runs grow or decay with it.
struct DiscreteStability {
  double spectral_radius = 0.0;
  double growth_per_s = 0.0;  // ln(radius)/tick, 1/s
  double frequency_hz = 0.0;  // of that eigenvalue
};
/// Throws InputError when the loop has more than 1000 states.
DiscreteStability discreteStability(const IntegratorSpec& spec, const Partition& partition, const TwinParams& params,
                                    double tick_s);

}  // namespace hyb
