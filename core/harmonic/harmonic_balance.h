#pragma once
#include "core/coupling/coupling_spec.h"
#include "core/harmonic/balance_model.h"
#include "core/harmonic/balance_plan.h"
#include "core/harmonic/balance_solver.h"
#include "core/harmonic/harmonic_test.h"

namespace hyb {

/// Iterative harmonic balance of a periodic response: the computed side is represented only by its dynamic stiffness.
/// The command is a sum of harmonics with constant amplitudes V. The measured signals are averaged over whole periods
/// until they are steady, and a solver between the ticks provides the next V, until compatibility and equilibrium hold
/// at this frequency (balance_model.h, balance_solver.h). The next frequency starts from this result. No loop runs from
/// tick to tick, so no delay makes the test unstable. An average ends at a tick; its decision is adopted a quarter of a
/// period later, while the next average already runs. If a decision is late, the test waits at the same V and reports
/// it. New amplitudes fade in over a period; frequencies change without a jump of phase or command; after the last one
/// the command fades to 0.
/// Source: A. Vizzaccaro, S. Beregi, D. A. W. Barton, S. A. Neild, Iterative method for real-time hybrid testing:
/// application to a cantilever beam with two interface degrees of freedom, section 2.4.
struct HarmonicBalanceSettings {
  BalanceModelSettings model;
  BalanceSolverSettings solver;
  BalanceCampaignSettings campaign;
  HarmonicAverages averages;
};
CouplingSpecPtr harmonicBalance(HarmonicBalanceSettings settings);
CouplingSpecPtr parseHarmonicBalance(const Json& settings);

}  // namespace hyb
