#include "core/linalg/balance.h"

#include <cmath>

namespace hyb::linalg {

Balanced balanced(const Eigen::MatrixXd& a) {
  constexpr double kWorthIt = 0.95;  // of the previous norms
  constexpr int kMostSweeps = 200;
  Balanced result{a, Eigen::VectorXd::Ones(a.rows())};
  Eigen::MatrixXd& b = result.matrix;
  bool changed = true;
  for (int sweep = 0; changed && sweep < kMostSweeps; ++sweep) {
    changed = false;
    for (Eigen::Index i = 0; i < b.rows(); ++i) {
      const double own = b(i, i);
      b(i, i) = 0.0;
      const double column = b.col(i).stableNorm(), row = b.row(i).stableNorm();
      b(i, i) = own;
      if (!(column > 0.0 && row > 0.0) || !std::isfinite(column) || !std::isfinite(row)) continue;
      const double factor = std::exp2(std::round(0.5 * std::log2(row / column)));
      if (column * factor + row / factor >= kWorthIt * (column + row)) continue;
      b.col(i) *= factor;
      b.row(i) /= factor;
      result.scale[i] *= factor;
      changed = true;
    }
  }
  return result;
}

}  // namespace hyb::linalg
