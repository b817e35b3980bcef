#include "core/linalg/riccati.h"

#include <Eigen/LU>

namespace hyb::linalg {

std::optional<Eigen::MatrixXd> solveRiccati(Eigen::MatrixXd a, Eigen::MatrixXd g, Eigen::MatrixXd h) {
  constexpr int most = 60;  // doublings: 2^60 ticks ahead
  constexpr double enough = 1e-13;
  for (int k = 0; k < most; ++k) {
    Eigen::MatrixXd between = g * h;
    between.diagonal().array() += 1.0;
    const Eigen::PartialPivLU<Eigen::MatrixXd> factors(between);  // 1 + G H
    const Eigen::MatrixXd over = factors.solve(a), under = factors.solve(g);
    const Eigen::MatrixXd grown = a.transpose() * h * over, size = h + grown;
    g += a * under * a.transpose();
    a *= over;
    h = 0.5 * (size + size.transpose());
    g = 0.5 * (g + g.transpose()).eval();
    if (!h.allFinite() || !g.allFinite()) return {};
    if (grown.cwiseAbs().maxCoeff() <= enough * h.cwiseAbs().maxCoeff()) return h;  // squares may be infinite
  }
  return {};
}

}  // namespace hyb::linalg
