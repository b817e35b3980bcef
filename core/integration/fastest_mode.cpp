#include "core/integration/fastest_mode.h"

#include <algorithm>
#include <random>

#include "core/integration/linear_solver.h"
#include "core/linalg/eigen.h"

namespace hyb {

double largestEigenvalue(const SparseMatrix& a, const SparseMatrix& m) {
  const Eigen::Index n = a.rows();
  LinearSolver mass(m);
  // A random start without symmetry, so that it contains every mode.
  std::mt19937 random(20140101);
  Eigen::VectorXd v(n);
  for (double& value : v) value = static_cast<double>(random()) / 4294967296.0 - 0.5;
  v /= std::sqrt(v.dot(m * v));

  // M-orthonormal v_j with M^-1 A v_j = beta_{j-1} v_{j-1} + alpha_j v_j + beta_j v_{j+1}. Loss of orthogonality only
  // repeats existing eigenvalues.
  const Eigen::Index most = std::min<Eigen::Index>(n, 300);
  Eigen::VectorXd alpha(most), beta(most), before = Eigen::VectorXd::Zero(n);
  double largest = 0.0;
  for (Eigen::Index j = 0; j < most; ++j) {
    Eigen::VectorXd w = a * v;
    alpha[j] = v.dot(w);
    mass.solve(w);
    w -= alpha[j] * v;
    if (j > 0) w -= beta[j - 1] * before;
    beta[j] = std::sqrt(std::max(0.0, w.dot(m * w)));

    const Eigen::Index size = j + 1;
    const bool last = size == most || beta[j] <= 1e-13 * alpha.head(size).cwiseAbs().maxCoeff();
    if (last || size % 20 == 0) {
      const linalg::SymmetricModes ritz = linalg::tridiagonalModes(alpha.head(size), beta.head(j));
      const double residual = beta[j] * std::abs(ritz.vectors(j, j));
      // If the space is exhausted, the residual is rounding.
      largest = ritz.values[j] + (size == n ? 0.0 : residual);
      if (last || residual <= 1e-4 * largest) break;
    }
    before = v;
    v = w / beta[j];
  }
  return std::max(0.0, largest);
}

}  // namespace hyb
