#include "core/structure/damping.h"

#include <algorithm>
#include <numbers>

#include "core/error.h"
#include "core/structure/modes.h"

namespace hyb {
namespace {

/// C = M Phi diag(2 zeta w) Phi^T M, full in general.
SparseMatrix modalDamping(const std::vector<double>& ratios, const SystemMatrices& system) {
  const Modes found = modes(system);
  Eigen::VectorXd rate(found.frequency_hz.size());
  for (Eigen::Index i = 0; i < rate.size(); ++i)
    rate[i] = 4.0 * std::numbers::pi * found.frequency_hz[i] *
              ratios[std::min(static_cast<std::size_t>(i), ratios.size() - 1)];
  const Eigen::MatrixXd shape = system.m * found.shape;
  const Eigen::MatrixXd c = shape * rate.asDiagonal() * shape.transpose();
  return c.sparseView();
}

}  // namespace

std::pair<double, double> rayleighFactors(const DampingSpec& spec, const SystemMatrices& whole) {
  if (spec.kind == DampingSpec::Kind::rayleigh_factors) return {spec.mass_factor, spec.stiffness_factor};
  if (spec.kind != DampingSpec::Kind::rayleigh_ratios) return {0.0, 0.0};
  std::vector<double> hz = spec.frequencies_hz;
  if (hz.empty()) {
    const Modes found = lowestModes(whole, 2);
    hz.assign(found.frequency_hz.begin(), found.frequency_hz.end());
  }
  if (hz.size() != 2 || !(hz[0] > 0.0) || !(hz[1] > hz[0]))
    throw InputError("/structure/damping/frequencies_hz",
                     "needs two different frequencies greater than 0 Hz; give them, lower first");
  const double w1 = 2.0 * std::numbers::pi * hz[0], w2 = 2.0 * std::numbers::pi * hz[1];
  const double z1 = spec.ratios.at(0), z2 = spec.ratios.at(1);
  const double scale = 2.0 / (w2 * w2 - w1 * w1);
  return {scale * w1 * w2 * (z1 * w2 - z2 * w1), scale * (z2 * w2 - z1 * w1)};
}

void addDamping(const DampingSpec& spec, SystemMatrices& system) {
  if (spec.kind == DampingSpec::Kind::none) return;
  if (spec.kind == DampingSpec::Kind::modal) {
    system.c += modalDamping(spec.ratios, system);
    return;
  }
  const auto [mass_factor, stiffness_factor] = rayleighFactors(spec, system);
  system.c += mass_factor * system.m + stiffness_factor * system.k;
}

}  // namespace hyb
