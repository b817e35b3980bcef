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
/// u [i] command held from tick k on, g [i] gap = motion of the rig minus that of the computed side under the force
/// read, no excitation, both at tick k before the new command.
struct GapModel {
  Eigen::MatrixXd a, b, c;
  double step_s = 0.0;
  /// Gap over command of harmonic signals at w rad/s, [i, i]: what identification must find.
  Eigen::MatrixXcd response(double w) const;
};

/// Integrator and rig are the real ones, started from one state after the other; nonlinear links count with their
/// stiffness at rest. `rig` is changed. Throws InputError for what makeIntegrator() refuses, and where there are more
/// than 1000 states.
GapModel gapModel(const Partition& partition, const IntegratorSpec& integrator, TransferSystem& rig, double step_s);

/// That of a scheme's project, its sides reduced as asked. Throws InputError, with the place `where` too: no model of
/// the rig.
GapModel modelOf(const Partition& sides, const SchemeContext& context, const std::string& where);

}  // namespace hyb
