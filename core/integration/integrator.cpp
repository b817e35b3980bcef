#include "core/integration/integrator.h"

#include <Eigen/Cholesky>
#include <cmath>

#include "core/error.h"
#include "core/integration/schemes.h"

namespace hyb {

std::string_view name(Scheme scheme) noexcept {
  switch (scheme) {
    case Scheme::newmark:
      return "newmark";
    case Scheme::exact_ramp:
      return "exact-ramp";
    case Scheme::exact_hold:
      return "exact-hold";
  }
  return "";
}

Scheme schemeFromName(const std::string& name) {
  if (name == "newmark") return Scheme::newmark;
  if (name == "exact-ramp") return Scheme::exact_ramp;
  if (name == "exact-hold") return Scheme::exact_hold;
  throw InputError("/integrator/scheme",
                   "\"" + name + "\" is no integration scheme; use newmark, exact-ramp or exact-hold");
}

std::unique_ptr<Integrator> makeIntegrator(Scheme scheme, const SystemMatrices& system, double step_s) {
  std::vector<Issue> issues;
  if (!std::isfinite(step_s) || step_s <= 0.0)
    issues.push_back({"/loop/rate_hz",
                      "gives a time step that is not a positive number of seconds; use a finite rate "
                      "greater than 0"});
  const auto n = static_cast<Eigen::Index>(system.dofs.size());
  for (const Eigen::MatrixXd* matrix : {&system.m, &system.c, &system.k})
    if (n == 0 || matrix->rows() != n || matrix->cols() != n || !matrix->allFinite()) {
      issues.push_back({"/structure",
                        "does not give finite mass, damping and stiffness matrices of one size; check "
                        "its masses and links"});
      throw InputError(std::move(issues));
    }
  if (!system.m.isApprox(system.m.transpose()) || Eigen::LLT<Eigen::MatrixXd>(system.m).info() != Eigen::Success) {
    std::string massless;
    for (Eigen::Index i = 0; i < n; ++i)
      if (!(system.m(i, i) > 0.0)) massless += " \"" + system.dofs[static_cast<std::size_t>(i)] + "\"";
    issues.push_back({"/structure/masses", "give a mass matrix that is not positive definite" +
                                               (massless.empty() ? "" : " (no mass at" + massless + ")") +
                                               "; give every computed degree of freedom a mass greater than 0"});
  }
  if (!issues.empty()) throw InputError(std::move(issues));
  return scheme == Scheme::newmark ? makeNewmark(system, step_s)
                                   : makeExact(system, step_s, scheme == Scheme::exact_hold);
}

}  // namespace hyb
