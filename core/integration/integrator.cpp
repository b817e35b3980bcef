#include "core/integration/integrator.h"

#include <cmath>
#include <numbers>

#include "core/checks.h"
#include "core/integration/fastest_mode.h"
#include "core/integration/linear_solver.h"
#include "core/integration/schemes.h"

namespace hyb {
namespace {

constexpr Eigen::Index kExactUpTo = 400;  // DOF; the gain is full and costs 12 n^2 products a step

std::string hertz(double omega) { return Checks::text(omega / (2.0 * std::numbers::pi), "Hz"); }

/// False if the matrices cannot even be looked at. Adds faults.
bool checkMatrices(const SystemMatrices& system, Checks& checks) {
  const Eigen::Index n = system.size();
  for (const SparseMatrix* matrix : {&system.m, &system.c, &system.k}) {
    const bool same_size = n > 0 && matrix->rows() == n && matrix->cols() == n;
    if (!same_size || static_cast<Eigen::Index>(system.dofs.size()) != n || !std::isfinite(matrix->cwiseAbs().sum())) {
      checks.fault("/structure",
                   "does not give finite mass, damping and stiffness matrices of one size; check its masses and links");
      return false;
    }
    if ((*matrix - SparseMatrix(matrix->transpose())).norm() > 1e-9 * matrix->norm()) {
      checks.fault("/structure", "gives a mass, damping or stiffness matrix that is not symmetric; mirror its entries");
      return false;
    }
  }
  std::string massless;
  const Eigen::VectorXd masses = system.m.diagonal();
  for (Eigen::Index i = 0; i < n; ++i)
    if (!(masses[i] > 0.0)) massless += " \"" + system.dofs[static_cast<std::size_t>(i)].name + "\"";
  const std::optional<Eigen::Index> weak = LinearSolver(system.m).weakPivot();
  if (weak)
    checks.fault("/structure", "gives a mass matrix that is not positive definite (" +
                                   (massless.empty() ? "no mass of its own at \"" +
                                                           system.dofs[static_cast<std::size_t>(*weak)].name + "\""
                                                     : "no mass at" + massless) +
                                   "); give every computed degree of freedom a mass greater than 0");
  return !weak;
}

void checkSpec(const IntegratorSpec& spec, const SystemMatrices& system, Checks& checks) {
  const std::string scheme(name(spec.scheme));
  if (hasRhoInf(spec.scheme)) {
    const bool hht = spec.scheme == Scheme::hht || spec.scheme == Scheme::alpha_os;
    checks.between("/integrator/rho_inf", spec.rho_inf, hht ? 0.5 : 0.0, 1.0, "");
  }
  if (spec.substeps < 1 || spec.substeps > 10000)
    checks.fault("/integrator/substeps", spec.substeps, "", "must be a whole number between 1 and 10000");
  if (spec.ticks_per_step < 1 || spec.ticks_per_step > 10000)
    checks.fault("/integrator/ticks_per_step", spec.ticks_per_step, "", "must be a whole number between 1 and 10000");
  if (spec.substeps > 1 && spec.ticks_per_step > 1)
    checks.fault("/integrator/ticks_per_step",
                 "makes the model slower than the loop while \"substeps\" makes it faster; set one of the two to 1");

  if (!isExplicit(spec.scheme) && !system.nonlinear.empty()) {
    std::string able;
    for (const Scheme other : allSchemes())
      if (isExplicit(other)) able += (able.empty() ? "" : ", ") + std::string(name(other));
    checks.fault("/integrator/scheme", "\"" + scheme + "\" is implicit and cannot carry the nonlinear link \"" +
                                           system.nonlinear.front().name + "\"; use one of " + able);
  }
  if ((spec.scheme == Scheme::exact_ramp || spec.scheme == Scheme::exact_hold) && system.size() > kExactUpTo)
    checks.fault("/integrator/scheme", "\"" + scheme + "\" needs full matrices and takes at most " +
                                           std::to_string(kExactUpTo) + " degrees of freedom, not " +
                                           std::to_string(system.size()) +
                                           "; use newmark or kr-alpha, or reduce the numerical part");
}

/// Conditionally stable schemes: the fastest mode must fit into the step.
void checkStability(const IntegratorSpec& spec, const SystemMatrices& system, double step_s, Checks& checks) {
  const double limit = stabilityLimit(spec.scheme);
  if (std::isinf(limit)) return;
  const double omega = std::sqrt(largestEigenvalue(system.k, system.m));
  if (omega * step_s < limit) return;
  const double factor = omega * step_s / limit;
  checks.fault("/integrator/scheme",
               "\"" + std::string(name(spec.scheme)) + "\" is unstable here: the highest natural frequency is " +
                   hertz(omega) + ", a model step of " + Checks::text(1e3 * step_s, "ms") + " carries at most " +
                   hertz(limit / step_s) + "; use " +
                   (spec.ticks_per_step > 1 ? "fewer ticks per step"
                                            : "at least " + Checks::text(std::floor(spec.substeps * factor) + 1, "") +
                                                  " sub-steps or a higher rate") +
                   ", or an unconditionally stable scheme (newmark, kr-alpha)");
}

std::unique_ptr<Integrator> makeScheme(const IntegratorSpec& spec, const SystemMatrices& system, double step_s) {
  switch (spec.scheme) {
    case Scheme::newmark:
      return makeDenseNewmark(system, step_s);
    case Scheme::exact_ramp:
    case Scheme::exact_hold:
      return makeExact(system, step_s, spec.scheme == Scheme::exact_hold);
    default:
      throw InputError("/integrator/scheme", "\"" + std::string(name(spec.scheme)) + "\" is not available");
  }
}

}  // namespace

Eigen::VectorXd Integrator::state() const { return joined(x_, v_, a_); }

void Integrator::setState(const Eigen::VectorXd& state) {
  const Eigen::Index n = x_.size();
  x_ = state.segment(0, n);
  v_ = state.segment(n, n);
  a_ = state.segment(2 * n, n);
}

std::unique_ptr<Integrator> makeIntegrator(const IntegratorSpec& spec, const SystemMatrices& system, double tick_s) {
  Checks checks;
  const bool tick_ok = std::isfinite(tick_s) && tick_s > 0.0;
  if (!tick_ok)
    checks.fault("/loop/rate_hz",
                 "gives a time step that is not a positive number of seconds; use a finite rate greater than 0");
  const bool matrices_ok = checkMatrices(system, checks);
  checkSpec(spec, system, checks);
  const double step_s = tick_s / spec.substeps * spec.ticks_per_step;
  if (tick_ok && matrices_ok && checks.ok()) checkStability(spec, system, step_s, checks);
  checks.throwIfAny();

  std::unique_ptr<Integrator> scheme = makeScheme(spec, system, step_s);
  return scheme;
}

}  // namespace hyb
