#pragma once
#include "core/coupling/coupling_spec.h"
#include "core/harmonic/balance_model.h"
#include "core/harmonic/balance_plan.h"
#include "core/harmonic/balance_solver.h"
#include "core/harmonic/harmonic_test.h"

namespace hyb {

/// Iterative harmonic balance of a periodic response: the computed side is there only as its dynamic stiffness. The
/// command is a sum of harmonics with amplitudes V that stand; what is measured is averaged over whole periods until it
/// is steady, and a solver between the ticks hands over the next V, until compatibility and equilibrium hold at this
/// frequency (balance_model.h, balance_solver.h). Then the next frequency begins with what this one came to. No loop
/// runs from tick to tick, so no delay makes the test unstable.
/// An average ends at a tick; its decision is adopted a quarter of a period later, while the next average already runs.
/// A decision that is late is waited for at the same V, and told. New amplitudes fade in over a period; frequencies
/// change without a jump of phase or command; after the last one the command fades to 0.
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
