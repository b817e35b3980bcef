#pragma once
#include <Eigen/Core>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/structure/lumped.h"

namespace hyb {

/// Advances M x'' + C x' + K x = p from tick to tick. Everything is sized and factorised in the constructor.
class Integrator {
 public:
  virtual ~Integrator() = default;
  /// At rest in the origin with load p = 0. Real-time safe.
  virtual void reset() noexcept = 0;
  /// One step to the next tick. load_n [n] is p at the new tick, N. Real-time safe: no allocation, no exception.
  virtual void step(const Eigen::VectorXd& load_n) noexcept = 0;
  const Eigen::VectorXd& displacement() const noexcept { return x_; }  // [n], m
  const Eigen::VectorXd& velocity() const noexcept { return v_; }      // [n], m/s
  const Eigen::VectorXd& acceleration() const noexcept {
    return a_;
  }  // [n], m/s^2; satisfies the equation of motion at the tick

 protected:
  Eigen::VectorXd x_, v_, a_;
};

enum class Scheme {
  newmark,     // implicit, beta 1/4, gamma 1/2: unconditionally stable, second order, uses p at the new tick
  exact_ramp,  // matrix exponential, load linear over the step
  exact_hold,  // matrix exponential, load of the last tick held over the step: half a tick of delay in the force
};
std::string_view name(Scheme scheme) noexcept;
Scheme schemeFromName(const std::string& name);  // "newmark", "exact-ramp", "exact-hold"; throws InputError

/// step_s > 0. Throws InputError when the mass matrix is not positive definite.
std::unique_ptr<Integrator> makeIntegrator(Scheme scheme, const SystemMatrices& system, double step_s);

}  // namespace hyb
