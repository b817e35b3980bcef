#include "core/compensation/least_squares.h"

#include <algorithm>
#include <cmath>

namespace hyb {

LeastSquares::LeastSquares(Eigen::Index count) : xx_(Square::Zero(count, count)), xu_(Coefficients::Zero(count)) {}

void LeastSquares::clear() noexcept {
  xx_.setZero();
  xu_.setZero();
  weight_ = first_ = 0.0;
}

void LeastSquares::add(double u, const Coefficients& x, double weight) noexcept {
  for (Eigen::Index i = 0; i < xu_.size(); ++i) {
    const double value = weight * x[i];
    for (Eigen::Index j = 0; j <= i; ++j) xx_(i, j) += value * x[j];
    xu_[i] += value * u;
  }
  weight_ += weight;
  first_ += weight * x[0];
}

void LeastSquares::fade(double share) noexcept {
  xx_ *= share;
  xu_ *= share;
  weight_ *= share;
  first_ *= share;
}

double LeastSquares::variance() const noexcept {
  if (!(weight_ > 0.0)) return 0.0;
  const double mean = first_ / weight_;
  return xx_(0, 0) / weight_ - mean * mean;
}

bool LeastSquares::missing(const Coefficients& a, const Coefficients& lowest, const Coefficients& highest,
                           Coefficients& d) const noexcept {
  Held held{};
  for (bool again = true; again;) {
    if (!solve(a, held, d)) return false;
    again = false;
    for (Eigen::Index n = 0; n < a.size(); ++n) {
      bool& stays = held[static_cast<std::size_t>(n)];
      if (stays || !((d[n] < 0.0 && a[n] <= lowest[n]) || (d[n] > 0.0 && a[n] >= highest[n]))) continue;
      stays = again = true;
    }
  }
  return true;
}

// Each column is scaled by its own size, with a small penalty on changes of a: (S + held 1) y = r, d = y / size.
bool LeastSquares::solve(const Coefficients& a, const Held& held, Coefficients& d) const noexcept {
  constexpr double kStay =
      1e-2;  // share of a column's size: weak directions take some hundred ticks, which keeps the loop calm
  const Eigen::Index count = a.size();
  Coefficients size(count), y(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    if (!(xx_(i, i) > 0.0)) return false;
    size[i] = std::sqrt(xx_(i, i));
    double left = xu_[i];
    for (Eigen::Index j = 0; j < count; ++j) left -= xx_(std::max(i, j), std::min(i, j)) * a[j];
    y[i] = held[static_cast<std::size_t>(i)] ? 0.0 : left / size[i];
  }
  Square l(count, count);  // Cholesky's lower triangle
  for (Eigen::Index i = 0; i < count; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) {
      const bool apart = held[static_cast<std::size_t>(i)] || held[static_cast<std::size_t>(j)];
      double value = i == j ? 1.0 + kStay : apart ? 0.0 : xx_(i, j) / (size[i] * size[j]);
      for (Eigen::Index k = 0; k < j; ++k) value -= l(i, k) * l(j, k);
      if (i == j && !(value > 0.0)) return false;
      l(i, j) = i == j ? std::sqrt(value) : value / l(j, j);
    }
  for (Eigen::Index i = 0; i < count; ++i) {
    for (Eigen::Index k = 0; k < i; ++k) y[i] -= l(i, k) * y[k];
    y[i] /= l(i, i);
  }
  for (Eigen::Index i = count - 1; i >= 0; --i) {
    for (Eigen::Index k = i + 1; k < count; ++k) y[i] -= l(k, i) * y[k];
    y[i] /= l(i, i);
  }
  d = y.cwiseQuotient(size);
  return d.allFinite();
}

}  // namespace hyb
