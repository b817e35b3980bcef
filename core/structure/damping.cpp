#include "core/structure/damping.h"

#include <algorithm>

#include "core/base/checks.h"
#include "core/base/numbers.h"
#include "core/linalg/sparse.h"
#include "core/structure/modes.h"
#include "core/structure/reduction.h"
#include "core/structure/sides.h"

namespace hyb {
namespace {

/// C = M Phi diag(2 zeta w) Phi^T M, full in general.
Eigen::MatrixXd modalDamping(const std::vector<double>& ratios, const SystemMatrices& system) {
  if (system.size() > kMostModallyDamped)
    throw InputError("/structure/damping/kind", "modal damping couples all degrees of freedom and is limited to " +
                                                    std::to_string(kMostModallyDamped) +
                                                    " of them, but the structure has " + std::to_string(system.size()) +
                                                    "; use Rayleigh damping or a coarser mesh");
  const Modes found = modes(system);
  Eigen::VectorXd rate(found.frequency_hz.size());
  for (Eigen::Index i = 0; i < rate.size(); ++i)
    rate[i] = 4.0 * kPi * found.frequency_hz[i] * ratios[std::min(static_cast<std::size_t>(i), ratios.size() - 1)];
  const Eigen::MatrixXd shape = system.m * found.shape;
  const Eigen::MatrixXd c = shape * rate.asDiagonal() * shape.transpose();
  return 0.5 * (c + c.transpose());
}

}  // namespace

void checkDamping(const DampingSpec& spec) {
  const std::string here = "/structure/damping";
  Checks checks;
  if (spec.kind == DampingSpec::Kind::rayleigh_factors) {
    checks.notNegative(here + "/mass_factor_per_s", spec.mass_factor, "1/s");
    checks.notNegative(here + "/stiffness_factor_s", spec.stiffness_factor, "s");
    for (std::size_t i = 0; i < spec.specimen_ratios.size(); ++i)
      if (!(spec.specimen_ratios[i] >= 0.0 && spec.specimen_ratios[i] < 1.0))
        checks.fault(here + "/specimen_ratios/" + std::to_string(i), spec.specimen_ratios[i], "",
                     "must be at least 0 and less than 1 (2 % is 0.02)");
  }
  const bool rayleigh = spec.kind == DampingSpec::Kind::rayleigh_ratios;
  if (rayleigh || spec.kind == DampingSpec::Kind::modal) {
    if (rayleigh && spec.ratios.size() != 2)
      checks.fault(here + "/ratios", "must be two values, one for each frequency");
    if (spec.ratios.empty()) checks.fault(here + "/ratios", "is empty; give at least one damping ratio");
    for (std::size_t i = 0; i < spec.ratios.size(); ++i)
      if (!(spec.ratios[i] >= 0.0 && spec.ratios[i] < 1.0))
        checks.fault(here + "/ratios/" + std::to_string(i), spec.ratios[i], "",
                     "must be at least 0 and less than 1 (2 % is 0.02)");
  }
  if (rayleigh && !spec.frequencies_hz.empty()) {
    const std::vector<double>& hz = spec.frequencies_hz;
    if (hz.size() != 2)
      checks.fault(here + "/frequencies_hz", "must be two values; leave it out for the first two modes");
    for (std::size_t i = 0; i < hz.size(); ++i)
      checks.positive(here + "/frequencies_hz/" + std::to_string(i), hz[i], "Hz");
    if (hz.size() == 2 && !(hz[1] > hz[0]))
      checks.fault(here + "/frequencies_hz/1", hz[1], "Hz", "must be above the first of " + Checks::text(hz[0], "Hz"));
  }
  checks.throwIfAny();
}

std::pair<double, double> rayleighFactors(const DampingSpec& spec, const SystemMatrices& whole) {
  checkDamping(spec);
  if (spec.kind == DampingSpec::Kind::rayleigh_factors) return {spec.mass_factor, spec.stiffness_factor};
  if (spec.kind != DampingSpec::Kind::rayleigh_ratios) return {0.0, 0.0};
  std::vector<double> hz = spec.frequencies_hz;
  if (hz.empty()) {
    const Modes found = lowestModes(whole, 2);
    hz.assign(found.frequency_hz.begin(), found.frequency_hz.end());
    // Rounding separates rigid-body modes, or two equal modes, slightly.
    if (hz.size() < 2 || !(hz[0] > 1e-4 * hz[1]) || !(hz[1] - hz[0] > 1e-6 * hz[1]))
      throw InputError(
          "/structure/damping/frequencies_hz",
          "must be given, because the two lowest frequencies of the structure are not different and above 0 Hz");
  }
  const double w1 = kTwoPi * hz[0], w2 = kTwoPi * hz[1];
  const double z1 = spec.ratios[0], z2 = spec.ratios[1];
  if (z1 * w2 < z2 * w1 * (1.0 - 1e-12) || z2 * w2 < z1 * w1 * (1.0 - 1e-12))
    throw InputError("/structure/damping/ratios",
                     "requires negative damping of " + std::string(z1 * w2 < z2 * w1 ? "slower" : "faster") +
                         " modes; with " + Checks::text(z1, "") + " at " + Checks::text(hz[0], "Hz") +
                         ", the ratio at " + Checks::text(hz[1], "Hz") + " must be between " +
                         Checks::text(z1 * w1 / w2, "") + " and " + Checks::text(z1 * w2 / w1, ""));
  const double scale = 2.0 / (w2 * w2 - w1 * w1);
  return {std::max(0.0, scale * w1 * w2 * (z1 * w2 - z2 * w1)), std::max(0.0, scale * (z2 * w2 - z1 * w1))};
}

SparseMatrix clampedModalDamping(const std::vector<double>& ratios, const SystemMatrices& side,
                                 const std::vector<Eigen::Index>& interface) {
  const std::vector<Eigen::Index> inner = others(interface, side.size());
  if (inner.empty()) return SparseMatrix(side.size(), side.size());
  const linalg::SparseFactors stiffness(block(side.k, inner, inner));
  if (!stiffness.regular())
    throw InputError("/structure/damping/specimen_ratios",
                     "are for the modes of the specimen with its interface held, but then a part of it moves without "
                     "stiffness; connect that part, or remove the ratios");
  const auto b = static_cast<Eigen::Index>(inner.size());
  Eigen::MatrixXd relative = Eigen::MatrixXd::Zero(b, side.size());
  relative(Eigen::all, interface) = stiffness.solve(Eigen::MatrixXd(block(side.k, inner, interface)));
  relative(Eigen::all, inner).setIdentity();
  const Eigen::MatrixXd c = relative.transpose() * modalDamping(ratios, clamped(side, interface)) * relative;
  return SparseMatrix(Eigen::MatrixXd(0.5 * (c + c.transpose())).sparseView());
}

void addDamping(const DampingSpec& spec, SystemMatrices& system) {
  if (spec.kind == DampingSpec::Kind::none) return;
  if (spec.kind == DampingSpec::Kind::modal) {
    checkDamping(spec);
    system.c += SparseMatrix(modalDamping(spec.ratios, system).sparseView());
    return;
  }
  const auto [mass_factor, stiffness_factor] = rayleighFactors(spec, system);
  system.c += mass_factor * system.m + stiffness_factor * system.k;
}

}  // namespace hyb
