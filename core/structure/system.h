#pragma once
#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <complex>
#include <string>
#include <variant>
#include <vector>

#include "core/base/signal_kind.h"

namespace hyb {

using SparseMatrix = Eigen::SparseMatrix<double>;

enum class Motion : unsigned char {
  translation,  // m, N
  rotation,     // rad, N m
};

constexpr SignalKind kindOf(Motion motion) noexcept {
  return motion == Motion::rotation ? SignalKind::rotation : SignalKind::displacement;
}

/// One degree of freedom. Partition and loads refer to its name ("m3", "B.rotation").
struct Dof {
  std::string name;
  Motion motion = Motion::translation;
};
std::vector<std::string> names(const std::vector<Dof>& dofs);

// Restoring forces f of nonlinear links over the stretch d = x_from - x_to and its rate d'. The force acts with -f on
// `from` and +f on `to`.

/// f = k d + k3 d^3: hardening (k3 > 0) or softening.
struct CubicSpring {
  double stiffness_n_per_m = 0.0;  // k >= 0
  double cubic_n_per_m3 = 0.0;     // k3
};
/// Elastic up to the yield force, then along the hardening line; kinematic hardening, unloads with k.
struct BilinearSpring {
  double stiffness_n_per_m = 0.0;  // k > 0
  double yield_force_n = 1.0;      // > 0
  double hardening_ratio = 0.0;    // slope after yield over k, 0 <= r < 1
};
/// f = r k d + (1 - r) k D z with z' = (A d' - beta |d'| |z|^(n-1) z - gamma d' |z|^n) / D, z in -1..1 for
/// beta + gamma = A = 1; D is the yield stretch. Source: Y. K. Wen, Method for random vibration of hysteretic systems,
/// J. Eng. Mech. Div. ASCE 102 (1976).
struct BoucWenSpring {
  double stiffness_n_per_m = 0.0;  // k > 0, before yield
  double yield_stretch_m = 1.0;    // D > 0
  double hardening_ratio = 0.0;    // r, 0 <= r < 1
  double beta = 0.5, gamma = 0.5, exponent = 2.0;
};
/// One-sided: f = k (d + gap) once the ends are closer than the gap allows (d < -gap), else 0.
struct ContactSpring {
  double stiffness_n_per_m = 0.0;  // k > 0, in contact
  double gap_m = 0.0;              // >= 0, open at rest
};
using NonlinearLaw = std::variant<CubicSpring, BilinearSpring, BoucWenSpring, ContactSpring>;

/// Nonlinear link between two DOF. Its stiffness at rest is part of K; the integrator adds the force beyond K d.
struct NonlinearLink {
  std::string name;
  NonlinearLaw law;
  Eigen::Index from = -1, to = -1;  // DOF, -1 = fixed
};
double initialStiffness(const NonlinearLaw& law) noexcept;  // N/m; 0 for contact

/// M x'' + C x' + K x + r(x, x') = M_s r_s'' + C_s r_s' + K_s r_s + p with n DOF and s supports. SI units; DOF of
/// rotation in rad and N m. For supports with M_s, x is relative to the ground and M_s = -M iota.
struct SystemMatrices {
  std::vector<Dof> dofs;                            // [n]
  std::vector<std::string> supports;                // [s]
  SparseMatrix m, c, k;                             // [n, n]; kg, N s/m, N/m
  Eigen::MatrixXd m_support, c_support, k_support;  // [n, s]; load per support acceleration, velocity, displacement
  std::vector<NonlinearLink> nonlinear;             // r without its linear part, which is in K

  Eigen::Index size() const noexcept { return m.rows(); }
};

/// D(s) = M s^2 + C s + K, [n, n]; linear part.
Eigen::SparseMatrix<std::complex<double>> dynamicStiffness(const SystemMatrices& system, std::complex<double> s);

/// Rows and columns `rows` and `columns` of a sparse matrix, in that order.
SparseMatrix block(const SparseMatrix& matrix, const std::vector<Eigen::Index>& rows,
                   const std::vector<Eigen::Index>& columns);

}  // namespace hyb
