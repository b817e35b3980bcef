/// Cost of a step of the time integrators over the number of DOF, on a cantilever of Euler-Bernoulli elements with
/// consistent masses. Budget: KR-alpha with 4000 DOF in 1 ms.
#include <benchmark/benchmark.h>

#include <cmath>

#include "core/integration/integrator.h"

namespace {

/// Deflection and rotation at every node but the clamped one; steel strip of 30 x 3 mm, 1 m long, Rayleigh damping.
hyb::SystemMatrices cantilever(Eigen::Index dofs) {
  const Eigen::Index elements = dofs / 2;
  const double l = 1.0 / static_cast<double>(elements), ei = 2.1e11 * 30e-3 * 27e-9 / 12.0, mass = 7850.0 * 90e-6;
  Eigen::Matrix4d k, m;
  k << 12, 6 * l, -12, 6 * l, 6 * l, 4 * l * l, -6 * l, 2 * l * l, -12, -6 * l, 12, -6 * l, 6 * l, 2 * l * l, -6 * l,
      4 * l * l;
  m << 156, 22 * l, 54, -13 * l, 22 * l, 4 * l * l, 13 * l, -3 * l * l, 54, 13 * l, 156, -22 * l, -13 * l, -3 * l * l,
      -22 * l, 4 * l * l;
  k *= ei / (l * l * l);
  m *= mass * l / 420.0;

  std::vector<Eigen::Triplet<double>> masses, stiffnesses;
  for (Eigen::Index e = 0; e < elements; ++e)
    for (Eigen::Index i = 0; i < 4; ++i)
      for (Eigen::Index j = 0; j < 4; ++j) {
        const Eigen::Index row = 2 * e - 2 + i, column = 2 * e - 2 + j;
        if (row < 0 || column < 0) continue;
        masses.emplace_back(row, column, m(i, j));
        stiffnesses.emplace_back(row, column, k(i, j));
      }
  hyb::SystemMatrices system;
  for (Eigen::Index i = 0; i < dofs; ++i) system.dofs.push_back({std::to_string(i)});
  system.m.resize(dofs, dofs);
  system.k.resize(dofs, dofs);
  system.m.setFromTriplets(masses.begin(), masses.end());
  system.k.setFromTriplets(stiffnesses.begin(), stiffnesses.end());
  system.c = 0.5 * system.m;
  return system;
}

void integratorStep(benchmark::State& state, hyb::Scheme scheme) {
  const Eigen::Index n = state.range(0);
  // The explicit one needs a step far below that of the loop; what a step costs does not depend on its length.
  const double step_s = std::isinf(hyb::stabilityLimit(scheme)) ? 1e-3 : 1e-12;
  const auto integrator = hyb::makeIntegrator({.scheme = scheme, .rho_inf = 0.8}, cantilever(n), step_s);
  const Eigen::VectorXd load = Eigen::VectorXd::Constant(n, 1e-3);
  for (auto _ : state) {
    integrator->step(load);
    benchmark::DoNotOptimize(integrator->displacement().data());
  }
}

}  // namespace

#define HYB_INTEGRATOR_BENCH(scheme)                             \
  BENCHMARK_CAPTURE(integratorStep, scheme, hyb::Scheme::scheme) \
      ->Arg(2)                                                   \
      ->Arg(10)                                                  \
      ->Arg(64)                                                  \
      ->Arg(100)                                                 \
      ->Arg(1000)                                                \
      ->Arg(4000)
HYB_INTEGRATOR_BENCH(newmark);
HYB_INTEGRATOR_BENCH(central_difference);
HYB_INTEGRATOR_BENCH(kr_alpha);
HYB_INTEGRATOR_BENCH(rk4);
