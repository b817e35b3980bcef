#include "core/coupling/modelled_force.h"

#include <algorithm>

#include "core/base/error.h"

namespace hyb {

ModelledForce::ModelledForce(const Partition& partition, double step_s) : step_s_(step_s) {
  const std::vector<Eigen::Index>& at = partition.interface_in_physical;
  const auto count = static_cast<Eigen::Index>(at.size());
  if (partition.physical.size() != count)
    throw InputError("/coupling/force",
                     "is \"modelled\", but the specimen has degrees of freedom inside, whose motion is not measured; "
                     "describe it by matrices at the interface (cut by matrices), or set this to \"measured\".");
  m_ = Eigen::MatrixXd(partition.physical.m)(at, at);
  c_ = Eigen::MatrixXd(partition.physical.c)(at, at);
  k_ = Eigen::MatrixXd(partition.physical.k)(at, at);
  last_.setZero(count);
  before_last_ = rate_ = acceleration_ = last_;
}

void ModelledForce::update(const Eigen::VectorXd& motion, Eigen::VectorXd& force) noexcept {
  const Eigen::Index count = motion.size();
  for (Eigen::Index i = 0; i < count; ++i) {
    rate_[i] = seen_ > 0 ? (motion[i] - last_[i]) / step_s_ : 0.0;
    acceleration_[i] = seen_ > 1 ? (motion[i] - 2.0 * last_[i] + before_last_[i]) / (step_s_ * step_s_) : 0.0;
  }
  for (Eigen::Index i = 0; i < count; ++i) {
    double sum = 0.0;
    for (Eigen::Index j = 0; j < count; ++j)
      sum += k_(i, j) * motion[j] + c_(i, j) * rate_[j] + m_(i, j) * acceleration_[j];
    force[i] = -sum;
    before_last_[i] = last_[i];
    last_[i] = motion[i];
  }
  seen_ = std::min(seen_ + 1, 2);
}

}  // namespace hyb
