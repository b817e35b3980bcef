#include "core/campaign/evolution.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/linalg/eigen.h"

namespace hyb {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::size_t candidatesOf(const EvolutionSpec& spec) {
  if (spec.candidates > 0) return std::max<std::size_t>(4, spec.candidates);
  return 4 + static_cast<std::size_t>(3.0 * std::log(static_cast<double>(spec.least.size())));
}

Evolution::Evolution(const EvolutionSpec& spec) : Optimiser(spec), step_(spec.step) {
  const Index numbers = space_.least.size(), candidates = static_cast<Index>(candidatesOf(spec)),
              parents = candidates / 2;
  const auto n = static_cast<double>(numbers), half = 0.5 * static_cast<double>(candidates);
  weights_.resize(parents);
  for (Index i = 0; i < parents; ++i) weights_[i] = std::log(half + 0.5) - std::log(static_cast<double>(i) + 1.0);
  weights_ /= weights_.sum();
  chosen_ = 1.0 / weights_.squaredNorm();
  path_rate_ = (4.0 + chosen_ / n) / (n + 4.0 + 2.0 * chosen_ / n);
  step_rate_ = (chosen_ + 2.0) / (n + chosen_ + 5.0);
  one_rate_ = 2.0 / ((n + 1.3) * (n + 1.3) + chosen_);
  mu_rate_ = std::min(1.0 - one_rate_, 2.0 * (chosen_ - 2.0 + 1.0 / chosen_) / ((n + 2.0) * (n + 2.0) + chosen_));
  damping_ = 1.0 + 2.0 * std::max(0.0, std::sqrt((chosen_ - 1.0) / (n + 1.0)) - 1.0) + step_rate_;
  expected_ = std::sqrt(n) * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n));
  mean_ = VectorXd::Constant(numbers, 0.5);
  path_ = step_path_ = VectorXd::Zero(numbers);
  covariance_ = axes_ = MatrixXd::Identity(numbers, numbers);
  lengths_ = VectorXd::Ones(numbers);
  positions_.resize(candidates, numbers);
  draw();
}

void Evolution::draw() {
  VectorXd along(mean_.size());
  for (Index c = 0; c < positions_.rows(); ++c) {
    for (Index n = 0; n < along.size(); ++n) along[n] = lengths_[n] * normal();
    const VectorXd place = mean_ + step_ * (axes_ * along);
    for (Index n = 0; n < place.size(); ++n)
      positions_(c, n) = mirrored(space_.least[n] + place[n] * (space_.most[n] - space_.least[n]), n);
  }
}

VectorXd Evolution::scaled(Index candidate) const {
  return (positions_.row(candidate).transpose() - space_.least).cwiseQuotient(space_.most - space_.least);
}

void Evolution::next(std::span<const double> values) {
  std::vector<Index> order;
  for (Index c = 0; c < positions_.rows(); ++c)
    if (!std::isnan(values[static_cast<std::size_t>(c)])) order.push_back(c);
  std::ranges::stable_sort(order, {}, [&](Index c) { return values[static_cast<std::size_t>(c)]; });
  const Index parents = std::min(weights_.size(), static_cast<Index>(order.size()));
  if (parents == 0) return draw();
  const VectorXd weights = weights_.head(parents) / weights_.head(parents).sum();
  MatrixXd moves(mean_.size(), parents);
  for (Index i = 0; i < parents; ++i) moves.col(i) = (scaled(order[static_cast<std::size_t>(i)]) - mean_) / step_;
  const VectorXd move = moves * weights;
  mean_ += step_ * move;

  ++generation_;
  const VectorXd white = axes_ * (axes_.transpose() * move).cwiseQuotient(lengths_);  // C^(-1/2) times the move
  step_path_ = (1.0 - step_rate_) * step_path_ + std::sqrt(step_rate_ * (2.0 - step_rate_) * chosen_) * white;
  const double length = step_path_.norm(),
               begun = std::sqrt(1.0 - std::pow(1.0 - step_rate_, 2.0 * static_cast<double>(generation_))),
               numbers = static_cast<double>(mean_.size());
  const double moves_on = length / begun < (1.4 + 2.0 / (numbers + 1.0)) * expected_ ? 1.0 : 0.0;  // h_sigma
  path_ = (1.0 - path_rate_) * path_ + moves_on * std::sqrt(path_rate_ * (2.0 - path_rate_) * chosen_) * move;
  covariance_ *= 1.0 - one_rate_ - mu_rate_ + (1.0 - moves_on) * one_rate_ * path_rate_ * (2.0 - path_rate_);
  covariance_ += one_rate_ * path_ * path_.transpose();
  covariance_ += mu_rate_ * moves * weights.asDiagonal() * moves.transpose();
  step_ = std::min(1.0, step_ * std::exp(step_rate_ / damping_ * (length / expected_ - 1.0)));
  const linalg::SymmetricModes modes = linalg::symmetricModes(covariance_);
  axes_ = modes.vectors;
  lengths_ = modes.values.cwiseMax(1e-20).cwiseSqrt();
  draw();
}

}  // namespace hyb
