#pragma once
#include "core/integration/integrator.h"
#include "core/integration/linear_solver.h"

// The families used by makeIntegrator. They rely on its checks: matrices of equal size, symmetric, finite, M positive
// definite (except for DOF without mass, with Newmark, HHT and generalised-alpha), rho_inf in range.
namespace hyb {

/// Explicit Runge-Kutta: |lambda| dt up to which every decaying mode with any damping also decays in the scheme.
/// Infinity for the others, which permit damping at any step.
double dampedLimit(Scheme scheme) noexcept;

/// Newmark, HHT, generalised-alpha and alpha-OS.
std::unique_ptr<Integrator> makeAlphaFamily(Scheme scheme, double rho_inf, const SystemMatrices& system, double step_s);
/// The same Newmark with one dense matrix: faster for few DOF.
std::unique_ptr<Integrator> makeDenseNewmark(const SystemMatrices& system, double step_s);
std::unique_ptr<Integrator> makeExact(const SystemMatrices& system, double step_s, bool hold);
/// Central difference and explicit Newmark.
std::unique_ptr<Integrator> makeCentralDifference(Scheme scheme, const SystemMatrices& system, double step_s);
/// CR, KR-alpha, MKR-alpha.
std::unique_ptr<Integrator> makeModelBased(Scheme scheme, double rho_inf, const SystemMatrices& system, double step_s);
std::unique_ptr<Integrator> makeRungeKutta(Scheme scheme, const SystemMatrices& system, double step_s,
                                           LoadOverTick load = LoadOverTick::ramp);

// Wrappers of a scheme with the step of the model.
std::unique_ptr<Integrator> makeSubsteps(std::unique_ptr<Integrator> inner, int substeps, LoadOverTick load);
std::unique_ptr<Integrator> makeExtrapolated(std::unique_ptr<Integrator> inner, int ticks_per_step, double tick_s);

/// Solver of the effective matrix of a scheme. Throws InputError if it is not positive definite.
LinearSolver effectiveMatrix(const SparseMatrix& a);

/// Concatenates vectors.
template <typename... Vectors>
Eigen::VectorXd joined(const Vectors&... parts) {
  Eigen::VectorXd all((parts.size() + ...));
  Eigen::Index at = 0;
  ((all.segment(at, parts.size()) = parts, at += parts.size()), ...);
  return all;
}

}  // namespace hyb
