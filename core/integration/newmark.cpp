#include "core/integration/schemes.h"
#include "core/linalg/dense.h"
#include "core/linalg/product.h"

namespace hyb {
namespace {

/// Constant average acceleration: beta = 1/4, gamma = 1/2.
/// Source: N. M. Newmark, A method of computation for structural dynamics, J. Eng. Mech. Div. ASCE 85 (1959).
class DenseNewmark final : public Integrator {
 public:
  DenseNewmark(const SystemMatrices& system, double step_s)
      : n_(system.size()), half_step_s_(0.5 * step_s), gain_(n_, 3 * n_), input_(3 * n_) {
    const double h = half_step_s_;
    const Eigen::MatrixXd m(system.m), c(system.c), k(system.k);
    const Eigen::MatrixXd inverse = linalg::inverse(m + h * c + h * h * k);
    gain_ << inverse, -inverse * c, -inverse * k;
    x_ = v_ = a_ = Eigen::VectorXd::Zero(n_);
  }

  void reset() noexcept override {
    x_.setZero();
    v_.setZero();
    a_.setZero();
  }

  void step(const Eigen::VectorXd& load_n) noexcept override {
    // Predicted with the old acceleration; the new one is added after the solution of M a + C v + K x = p.
    const double h = half_step_s_;
    const double *const v_predicted = input_.data() + n_, *const x_predicted = v_predicted + n_;
    for (Eigen::Index i = 0; i < n_; ++i) {
      input_[i] = load_n[i];
      input_[n_ + i] = v_[i] + h * a_[i];
      input_[2 * n_ + i] = x_[i] + 2.0 * h * v_[i] + h * h * a_[i];
    }
    linalg::multiply(gain_, input_, a_);
    for (Eigen::Index i = 0; i < n_; ++i) {
      v_[i] = v_predicted[i] + h * a_[i];
      x_[i] = x_predicted[i] + h * h * a_[i];
    }
  }

 private:
  Eigen::Index n_;
  double half_step_s_;
  Eigen::MatrixXd gain_;   // [n, 3n]: new acceleration from load, predicted velocity, predicted displacement
  Eigen::VectorXd input_;  // [3n]
};

}  // namespace

std::unique_ptr<Integrator> makeDenseNewmark(const SystemMatrices& system, double step_s) {
  return std::make_unique<DenseNewmark>(system, step_s);
}

}  // namespace hyb
