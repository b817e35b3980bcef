#include "core/integration/integrator.h"

#include <cmath>

#include "core/base/checks.h"
#include "core/base/numbers.h"
#include "core/integration/fastest_mode.h"
#include "core/integration/schemes.h"

namespace hyb {
namespace {

constexpr Eigen::Index kExactUpTo = 400;  // DOF; the gain is dense and costs 12 n^2 products per step

std::string hertz(double omega) { return Checks::text(omega / kTwoPi, "Hz"); }

/// These solve for the whole equation of motion at once and need no inverse of the mass matrix.
bool acceptsMassless(Scheme scheme) noexcept {
  return scheme == Scheme::newmark || scheme == Scheme::hht || scheme == Scheme::generalised_alpha;
}

/// The mass matrix with a little more on its diagonal: positive definite if no motion has a negative mass.
SparseMatrix withSmallMasses(const SparseMatrix& m) {
  constexpr double kSmall = 1e-9;  // above the rounding of a mass without own motion, as behind actuator axes
  SparseMatrix filled = m;
  for (Eigen::Index i = 0; i < m.cols(); ++i) {
    const double own = m.coeff(i, i);
    filled.coeffRef(i, i) = own > 0.0 ? own * (1.0 + kSmall) : m.col(i).cwiseAbs().sum() == 0.0 ? 1.0 : own;
  }
  return filled;
}

/// False if the matrices cannot be checked further. Adds faults.
bool checkMatrices(const SystemMatrices& system, Scheme scheme, Checks& checks) {
  const Eigen::Index n = system.size();
  for (const SparseMatrix* matrix : {&system.m, &system.c, &system.k}) {
    const bool same_size = n > 0 && matrix->rows() == n && matrix->cols() == n;
    if (!same_size || static_cast<Eigen::Index>(system.dofs.size()) != n || !std::isfinite(matrix->cwiseAbs().sum())) {
      checks.fault(
          "/structure",
          "does not have finite mass, damping and stiffness matrices of equal size; check its masses and links");
      return false;
    }
  }
  if (!isSymmetric(system)) {
    checks.fault("/structure", "has a mass, damping or stiffness matrix that is not symmetric; mirror its entries");
    return false;
  }
  std::string massless;
  const Eigen::VectorXd masses = system.m.diagonal();
  for (Eigen::Index i = 0; i < n; ++i)
    if (!(masses[i] > 0.0)) massless += " \"" + system.dofs[static_cast<std::size_t>(i)].name + "\"";
  const bool implicit = acceptsMassless(scheme);
  const std::optional<Eigen::Index> weak = LinearSolver(implicit ? withSmallMasses(system.m) : system.m).weakPivot();
  if (weak)
    checks.fault("/structure", "has a mass matrix that is not positive definite (" +
                                   (massless.empty() ? "no mass of its own at \"" +
                                                           system.dofs[static_cast<std::size_t>(*weak)].name + "\""
                                                     : "no mass at" + massless) +
                                   "); give every computed degree of freedom a mass greater than 0" +
                                   (implicit ? "" : ", or use newmark, hht or generalised-alpha for those without"));
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
    checks.fault("/integrator/scheme", "\"" + scheme + "\" is implicit and does not support the nonlinear link \"" +
                                           system.nonlinear.front().name + "\"; use one of " + able);
  }
  if ((spec.scheme == Scheme::exact_ramp || spec.scheme == Scheme::exact_hold) && system.size() > kExactUpTo)
    checks.fault("/integrator/scheme", "\"" + scheme + "\" needs dense matrices and supports at most " +
                                           std::to_string(kExactUpTo) + " degrees of freedom, not " +
                                           std::to_string(system.size()) +
                                           "; use newmark or kr-alpha, or reduce the numerical part");
}

/// Conditionally stable schemes: the step must resolve the fastest mode.
void checkStability(const IntegratorSpec& spec, const SystemMatrices& system, double step_s, Checks& checks) {
  if (std::isinf(stabilityLimit(spec.scheme))) return;
  const double omega = std::sqrt(largestEigenvalue(system.k, system.m));
  // No root of the damped system is larger than the larger of the two: w without damping, c/m without stiffness.
  const double decay = std::isinf(dampedLimit(spec.scheme)) ? 0.0 : largestEigenvalue(system.c, system.m);
  const double limit = decay > 0.0 ? dampedLimit(spec.scheme) : stabilityLimit(spec.scheme);
  const double factor = std::max(omega, decay) * step_s / limit;
  if (factor < 1.0) return;
  const std::string fastest = decay > omega ? "the fastest decay is " + Checks::text(decay, "1/s")
                                            : "the highest natural frequency is " + hertz(omega);
  const std::string carried = decay > omega ? Checks::text(limit / step_s, "1/s") : hertz(limit / step_s);
  const std::string finer =
      spec.ticks_per_step > 1
          ? "fewer ticks per step"
          : "at least " + Checks::text(std::floor(spec.substeps * factor) + 1.0, "") + " sub-steps, a higher rate";
  checks.fault("/integrator/scheme", "\"" + std::string(name(spec.scheme)) + "\" is unstable here: " + fastest +
                                         ", a model step of " + Checks::text(1e3 * step_s, "ms") +
                                         " is stable only below " + carried + "; use " + finer +
                                         " or an unconditionally stable scheme (newmark, kr-alpha)");
}

std::unique_ptr<Integrator> makeScheme(const IntegratorSpec& spec, const SystemMatrices& system, double step_s) {
  switch (spec.scheme) {
    case Scheme::newmark:
      if (system.size() <= LinearSolver::kDenseUpTo) return makeDenseNewmark(system, step_s);
      [[fallthrough]];
    case Scheme::hht:
    case Scheme::generalised_alpha:
    case Scheme::alpha_os:
      return makeAlphaFamily(spec.scheme, spec.rho_inf, system, step_s);
    case Scheme::exact_ramp:
    case Scheme::exact_hold:
      return makeExact(system, step_s, spec.scheme == Scheme::exact_hold);
    case Scheme::central_difference:
    case Scheme::newmark_explicit:
      return makeCentralDifference(spec.scheme, system, step_s);
    case Scheme::cr:
    case Scheme::kr_alpha:
    case Scheme::mkr_alpha:
      return makeModelBased(spec.scheme, spec.rho_inf, system, step_s);
    case Scheme::rk4:
    case Scheme::bogacki_shampine:
    case Scheme::dormand_prince_8:
      return makeRungeKutta(spec.scheme, system, step_s, spec.load);
  }
  return nullptr;
}

}  // namespace

bool isSymmetric(const SystemMatrices& system) {
  for (const SparseMatrix* matrix : {&system.m, &system.c, &system.k})
    if ((*matrix - SparseMatrix(matrix->transpose())).norm() > 1e-9 * matrix->norm()) return false;
  return true;
}

LinearSolver effectiveMatrix(const SparseMatrix& a) {
  LinearSolver solver(a);
  if (solver.weakPivot())
    throw InputError("/structure",
                     "has, with this time step, a sum of mass, damping and stiffness that is not positive definite; "
                     "check links of negative stiffness or damping, or raise the rate");
  return solver;
}

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
                 "results in a time step that is not a positive number of seconds; use a finite rate greater than 0");
  const bool matrices_ok = checkMatrices(system, spec.scheme, checks);
  checkSpec(spec, system, checks);
  const double step_s = tick_s / spec.substeps * spec.ticks_per_step;
  if (tick_ok && matrices_ok && checks.ok()) checkStability(spec, system, step_s, checks);
  checks.throwIfAny();

  std::unique_ptr<Integrator> integrator = makeScheme(spec, system, step_s);
  if (spec.substeps > 1) return makeSubsteps(std::move(integrator), spec.substeps, spec.load);
  if (spec.ticks_per_step > 1) return makeExtrapolated(std::move(integrator), spec.ticks_per_step, tick_s);
  return integrator;
}

}  // namespace hyb
