#include "core/feedforward/identification_evidence.h"

#include <algorithm>
#include <cmath>

namespace hyb {

IdentificationEvidence::IdentificationEvidence(Eigen::Index pairs, Eigen::Index axes, double amplitude)
    : rows_(pairs, axes), nothing_(Eigen::MatrixXd::Zero(pairs, axes)) {
  constexpr double light = 1e-9;  // relative to one tick
  weight_.setConstant(pairs, light * amplitude * amplitude);
  reset();
}

void IdentificationEvidence::reset() noexcept {
  rows_.begin(weight_, nothing_);
  count_ = 0;
}

void IdentificationEvidence::add(const Eigen::VectorXd& turned, const Eigen::VectorXd& gap) noexcept {
  rows_.row() = turned.transpose();
  rows_.sides() = gap.transpose();
  rows_.add();
  ++count_;
}

double IdentificationEvidence::strength(Eigen::Index pair) noexcept {
  const auto spare = static_cast<double>(std::max<std::int64_t>(1, count_ - weight_.size()));
  const double scatter = rows_.scatter(pair) + rows_.scatter(pair + 1);
  double most = 0.0;
  for (Eigen::Index i = 0; i < nothing_.cols(); ++i) {
    const double size2 = rows_.x().col(i).segment<2>(pair).squaredNorm();
    if (size2 > 0.0) most = std::max(most, size2 / (scatter * rows_.left(i) / spare));
  }
  return std::sqrt(most);
}

}  // namespace hyb
