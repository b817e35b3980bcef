#pragma once
#include <Eigen/Core>
#include <complex>

#include "core/coupling/coupling_spec.h"
#include "core/integration/integrator.h"
#include "core/structure/partition.h"
#include "core/transfer/transfer_system.h"

namespace hyb {

/// Computed side and a model of the rig as one linear system from tick to tick, for a computed side that runs beside
/// the rig (core/feedforward/harmonic_feedforward.h):
///   s_{k+1} = A s_k + B u_k,   g_k = C s_k,
/// u [i] command held from tick k on, g [i] gap = motion of the rig minus that of the computed side under the measured
/// force, no excitation, both at tick k before the new command.
struct GapModel {
  Eigen::MatrixXd a, b, c;
  double step_s = 0.0;
  /// Gap over command of harmonic signals at w rad/s, [i, i]: the expected result of identification.
  Eigen::MatrixXcd response(double w) const;
};

/// Uses the real integrator and rig, started from one state after the other; nonlinear links count with their stiffness
/// at rest. `rig` is changed. Throws InputError as makeIntegrator(), and for more than 1000 states.
GapModel gapModel(const Partition& partition, const IntegratorSpec& integrator, TransferSystem& rig, double step_s);

/// Model of a scheme's project with its reduced sides. Throws InputError, also at the place `where` without a model of
/// the rig.
GapModel modelOf(const Partition& sides, const SchemeContext& context, const std::string& where);

}  // namespace hyb
