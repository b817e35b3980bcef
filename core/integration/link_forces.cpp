#include "core/integration/link_forces.h"

#include <algorithm>
#include <cmath>

namespace hyb {
namespace {

double stretchOf(const NonlinearLink& link, const Eigen::VectorXd& x) noexcept {
  return (link.from >= 0 ? x[link.from] : 0.0) - (link.to >= 0 ? x[link.to] : 0.0);
}

void addForce(const NonlinearLink& link, double force, Eigen::VectorXd& out) noexcept {
  if (link.from >= 0) out[link.from] += force;
  if (link.to >= 0) out[link.to] -= force;
}

// One overload a law: the memory after the move, and the force beyond k d.

double memoryAfter(const CubicSpring&, LinkHistory, double) noexcept { return 0.0; }
double memoryAfter(const ContactSpring&, LinkHistory, double) noexcept { return 0.0; }

/// Slope of the line that the centre of the elastic range moves along, over the plastic stretch, N/m.
double hardeningModulus(const BilinearSpring& s) noexcept {
  return s.stiffness_n_per_m * s.hardening_ratio / (1.0 - s.hardening_ratio);
}

double memoryAfter(const BilinearSpring& s, LinkHistory from, double stretch) noexcept {
  const double modulus = hardeningModulus(s), k = s.stiffness_n_per_m;
  const double trial = k * (stretch - from.memory) - modulus * from.memory;
  const double beyond = std::abs(trial) - s.yield_force_n;
  return beyond > 0.0 ? from.memory + std::copysign(beyond / (k + modulus), trial) : from.memory;
}

double memoryAfter(const BoucWenSpring& s, LinkHistory from, double stretch) noexcept {
  const double path = (stretch - from.stretch) / s.yield_stretch_m;  // in yield stretches
  if (!(std::abs(path) > 0.0)) return from.memory;
  const double direction = std::copysign(1.0, path);
  const auto slope = [&](double z) {
    return 1.0 - std::pow(std::abs(z), s.exponent) * (s.beta * (z * direction < 0.0 ? -1.0 : 1.0) + s.gamma);
  };
  const int steps = static_cast<int>(std::ceil(std::min(20.0 * std::abs(path), 400.0)));
  const double h = std::clamp(path, -20.0, 20.0) / steps;
  double z = from.memory;
  for (int i = 0; i < steps; ++i) {
    const double k1 = slope(z), k2 = slope(z + 0.5 * h * k1), k3 = slope(z + 0.5 * h * k2), k4 = slope(z + h * k3);
    z += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return z;
}

double beyondLinear(const CubicSpring& s, const LinkHistory& at) noexcept {
  return s.cubic_n_per_m3 * at.stretch * at.stretch * at.stretch;
}

double beyondLinear(const ContactSpring& s, const LinkHistory& at) noexcept {
  return s.stiffness_n_per_m * std::min(0.0, at.stretch + s.gap_m);
}

double beyondLinear(const BilinearSpring& s, const LinkHistory& at) noexcept {
  return -s.stiffness_n_per_m * at.memory;
}

double beyondLinear(const BoucWenSpring& s, const LinkHistory& at) noexcept {
  return (1.0 - s.hardening_ratio) * s.stiffness_n_per_m * (s.yield_stretch_m * at.memory - at.stretch);
}

}  // namespace

LinkHistory advanced(const NonlinearLaw& law, LinkHistory from, double stretch) noexcept {
  return {stretch, std::visit([&](const auto& spring) { return memoryAfter(spring, from, stretch); }, law)};
}

double forceBeyondLinear(const NonlinearLaw& law, const LinkHistory& at) noexcept {
  return std::visit([&](const auto& spring) { return beyondLinear(spring, at); }, law);
}

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
