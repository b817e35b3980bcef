#pragma once
#include "core/integration/linear_solver.h"
#include "core/integration/link_forces.h"
#include "core/integration/schemes.h"

namespace hyb {

/// Common part of the schemes that store the old load and support nonlinear links.
class LinkedScheme : public Integrator {
 public:
  void reset() noexcept override {
    x_.setZero();
    v_.setZero();
    a_.setZero();
    old_load_.setZero();
    links_.reset();
  }
  Eigen::VectorXd state() const override { return joined(Integrator::state(), old_load_, links_.state()); }
  void setState(const Eigen::VectorXd& state) override {
    const Eigen::Index n = x_.size();
    Integrator::setState(state);
    old_load_ = state.segment(3 * n, n);
    links_.setState(state.tail(state.size() - 4 * n));
  }

 protected:
  explicit LinkedScheme(const SystemMatrices& system) : links_(system) {
    x_ = v_ = a_ = old_load_ = Eigen::VectorXd::Zero(system.size());
  }

  LinkForces links_;
  Eigen::VectorXd old_load_;  // [n]
};

}  // namespace hyb
