#pragma once
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "core/integration/integrator.h"
#include "core/integration/schemes.h"
#include "core/linalg/eigen.h"

/// Small systems written down as matrices, and how a scheme is probed. Nothing here uses the scheme's own formulas.
namespace hyb::test {

inline SystemMatrices systemOf(const Eigen::MatrixXd& m, const Eigen::MatrixXd& c, const Eigen::MatrixXd& k) {
  SystemMatrices system;
  for (Eigen::Index i = 0; i < m.rows(); ++i) system.dofs.push_back({"m" + std::to_string(i + 1)});
  system.m = m.sparseView();
  system.c = c.sparseView();
  system.k = k.sparseView();
  return system;
}

inline SystemMatrices oscillator(double m, double c, double k) {
  const auto one = [](double value) { return Eigen::MatrixXd::Constant(1, 1, value); };
  return systemOf(one(m), one(c), one(k));
}

/// Natural frequency w and damping ratio z with unit mass.
inline SystemMatrices unitOscillator(double w, double z) { return oscillator(1.0, 2.0 * z * w, w * w); }

/// n masses of 2.2 kg in a row between two walls, springs of 9000 N/m and dampers of `damping` N s/m between them.
inline SystemMatrices chain(Eigen::Index n, double damping = 30.0) {
  Eigen::MatrixXd k = 2.0 * Eigen::MatrixXd::Identity(n, n);
  for (Eigen::Index i = 1; i < n; ++i) k(i, i - 1) = k(i - 1, i) = -1.0;
  return systemOf(2.2 * Eigen::MatrixXd::Identity(n, n), damping * k, 9000.0 * k);
}

/// Rod of n elements, fixed at one end, with consistent masses and Rayleigh damping: mass no diagonal, matrices banded.
inline SystemMatrices rod(Eigen::Index n) {
  Eigen::MatrixXd k = Eigen::MatrixXd::Zero(n, n), m = k;
  for (Eigen::Index i = 0; i < n; ++i) {
    k(i, i) = i + 1 < n ? 2.0 : 1.0;
    m(i, i) = i + 1 < n ? 4.0 : 2.0;
    if (i > 0) {
      k(i, i - 1) = k(i - 1, i) = -1.0;
      m(i, i - 1) = m(i - 1, i) = 1.0;
    }
  }
  k *= 1e6 * static_cast<double>(n);
  m *= 6.0 / (6.0 * static_cast<double>(n));
  return systemOf(m, 5.0 * m + 2e-7 * k, k);
}

/// Deterministic load without any pattern that suits a scheme.
inline Eigen::VectorXd roughLoad(Eigen::Index n, int tick) {
  Eigen::VectorXd load(n);
  for (Eigen::Index i = 0; i < n; ++i)
    load[i] = 10.0 * std::sin(1.7 * tick * (static_cast<double>(i) + 1.3) + 0.1 * tick * tick);
  return load;
}

inline IntegratorSpec spec(Scheme scheme, double rho_inf = 1.0) { return {.scheme = scheme, .rho_inf = rho_inf}; }

/// One free step as a matrix over the whole state, [s, s].
inline Eigen::MatrixXd amplification(Integrator& integrator) {
  const Eigen::Index size = integrator.state().size();
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(integrator.displacement().size());
  Eigen::MatrixXd a(size, size);
  for (Eigen::Index j = 0; j < size; ++j) {
    integrator.setState(Eigen::VectorXd::Unit(size, j));
    integrator.step(none);
    a.col(j) = integrator.state();
  }
  return a;
}

/// The same of a single mass with displacement, velocity and acceleration in units of 1, w, w^2, for eigenvalues
/// without cancellation; old loads, which a free step forgets, left out. [3, 3].
inline Eigen::Matrix3d scaled(const Eigen::MatrixXd& a, double w) {
  const Eigen::Vector3d unit(1.0, w, w * w);
  return unit.cwiseInverse().asDiagonal() * a.topLeftCorner(3, 3) * unit.asDiagonal();
}

inline double spectralRadius(const Eigen::MatrixXd& a) { return linalg::eigenvalues(a).cwiseAbs().maxCoeff(); }

/// Scheme for a single step length that the checks of makeIntegrator would refuse.
inline std::unique_ptr<Integrator> unchecked(Scheme scheme, const SystemMatrices& system, double step_s) {
  if (scheme == Scheme::central_difference || scheme == Scheme::newmark_explicit)
    return makeCentralDifference(scheme, system, step_s);
  return makeRungeKutta(scheme, system, step_s);
}

}  // namespace hyb::test
