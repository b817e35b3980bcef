#include "core/integration/link_forces.h"

#include <algorithm>

namespace hyb {
namespace {

double stretchOf(const NonlinearLink& link, const Eigen::VectorXd& x) noexcept {
  return (link.from >= 0 ? x[link.from] : 0.0) - (link.to >= 0 ? x[link.to] : 0.0);
}

void addForce(const NonlinearLink& link, double force, Eigen::VectorXd& out) noexcept {
  if (link.from >= 0) out[link.from] += force;
  if (link.to >= 0) out[link.to] -= force;
}

}  // namespace

void LinkForces::reset() noexcept { std::fill(histories_.begin(), histories_.end(), LinkHistory{}); }

void LinkForces::commit(const Eigen::VectorXd& x_m) noexcept {
  for (std::size_t i = 0; i < links_.size(); ++i)
    histories_[i] = advanced(links_[i].law, histories_[i], stretchOf(links_[i], x_m));
}

void LinkForces::add(double factor, Eigen::VectorXd& force_n) const noexcept {
  for (std::size_t i = 0; i < links_.size(); ++i)
    addForce(links_[i], factor * forceBeyondLinear(links_[i].law, histories_[i]), force_n);
}

void LinkForces::addTrial(const Eigen::VectorXd& x_m, double factor, Eigen::VectorXd& force_n) const noexcept {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const LinkHistory there = advanced(links_[i].law, histories_[i], stretchOf(links_[i], x_m));
    addForce(links_[i], factor * forceBeyondLinear(links_[i].law, there), force_n);
  }
}

Eigen::VectorXd LinkForces::state() const {
  Eigen::VectorXd state(2 * static_cast<Eigen::Index>(histories_.size()));
  for (Eigen::Index at = 0; const LinkHistory& history : histories_) {
    state[at++] = history.stretch;
    state[at++] = history.memory;
  }
  return state;
}

void LinkForces::setState(const Eigen::Ref<const Eigen::VectorXd>& state) {
  for (Eigen::Index at = 0; LinkHistory & history : histories_) {
    history.stretch = state[at++];
    history.memory = state[at++];
  }
}

}  // namespace hyb
