#pragma once
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>

namespace hyb::linalg {

/// Eliminates the first `count` unknowns of A x = B by Gaussian elimination with row pivots among their equations, in
/// place: the remaining parts are A_22 - A_21 A_11^-1 A_12 and B_2 - A_21 A_11^-1 B_1. A [n, n], B [n, m]. False: A_11
/// is singular to working precision. Real-time safe.
template <typename Matrix, typename Right>
bool condense(Matrix& a, Right& b, Eigen::Index count) noexcept {
  using Eigen::Index;
  double largest = 0.0;
  for (Index k = 0; k < count; ++k) {
    Index pivot = k;
    for (Index r = k + 1; r < count; ++r)
      if (std::abs(a(r, k)) > std::abs(a(pivot, k))) pivot = r;
    const double size = std::abs(a(pivot, k));
    largest = std::max(largest, size);
    if (!(size > 1e-14 * largest)) return false;
    if (pivot != k) {
      for (Index c = k; c < a.cols(); ++c) std::swap(a(k, c), a(pivot, c));
      for (Index c = 0; c < b.cols(); ++c) std::swap(b(k, c), b(pivot, c));
    }
    for (Index r = k + 1; r < a.rows(); ++r) {
      if (a(r, k) == typename Matrix::Scalar(0)) continue;
      const auto share = a(r, k) / a(k, k);
      for (Index c = k + 1; c < a.cols(); ++c) a(r, c) -= share * a(k, c);
      for (Index c = 0; c < b.cols(); ++c) b(r, c) -= share * b(k, c);
    }
  }
  return true;
}

/// B <- A^-1 B, likewise; A is overwritten.
template <typename Matrix, typename Right>
bool eliminate(Matrix& a, Right& b) noexcept {
  using Eigen::Index;
  const Index n = a.rows();
  if (!condense(a, b, n)) return false;
  for (Index c = 0; c < b.cols(); ++c)
    for (Index k = n - 1; k >= 0; --k) {
      for (Index j = k + 1; j < n; ++j) b(k, c) -= a(k, j) * b(j, c);
      b(k, c) /= a(k, k);
    }
  return true;
}

}  // namespace hyb::linalg
