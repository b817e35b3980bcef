#include "core/integration/schemes.h"
#include "core/linalg/dense.h"
#include "core/linalg/product.h"

namespace hyb {
namespace {

/// Exact for a load that is held or linear over the step. Source: C. F. Van Loan, Computing integrals involving the
/// matrix exponential, IEEE Trans. Autom. Control 23 (1978).
class Exact final : public Integrator {
 public:
  Exact(const SystemMatrices& system, double step_s, bool hold)
      : n_(system.size()), gain_(2 * n_, 4 * n_), acceleration_gain_(n_, 4 * n_), input_(4 * n_), output_(2 * n_) {
    const Eigen::MatrixXd c(system.c), k(system.k), m_inverse = linalg::inverse(Eigen::MatrixXd(system.m));
    const double h = step_s;

    // d/dtau of (x, h v, p, h p') over one step tau = t/h: scaled by h, so that soft and stiff systems are alike.
    Eigen::MatrixXd rate = Eigen::MatrixXd::Zero(4 * n_, 4 * n_);
    const auto identity = Eigen::MatrixXd::Identity(n_, n_);
    rate.block(0, n_, n_, n_) = identity;
    rate.block(n_, 0, n_, n_) = -h * h * m_inverse * k;
    rate.block(n_, n_, n_, n_) = -h * m_inverse * c;
    rate.block(n_, 2 * n_, n_, n_) = h * h * m_inverse;
    rate.block(2 * n_, 3 * n_, n_, n_) = identity;
    const Eigen::MatrixXd transition = linalg::exponential(rate);

    // Inputs x, v, old load, new load.
    gain_ = transition.topRows(2 * n_);
    if (hold)
      gain_.rightCols(n_).setZero();
    else
      gain_.middleCols(2 * n_, n_) -= gain_.rightCols(n_);
    gain_.middleCols(n_, n_) *= h;
    gain_.bottomRows(n_) /= h;

    acceleration_gain_ = -m_inverse * (k * gain_.topRows(n_) + c * gain_.bottomRows(n_));
    acceleration_gain_.rightCols(n_) += m_inverse;
    x_ = v_ = a_ = stepped_a_ = Eigen::VectorXd::Zero(n_);
    input_.setZero();
  }

  void reset() noexcept override {
    x_.setZero();
    v_.setZero();
    a_.setZero();
    input_.setZero();
    stepped_ = false;
  }

  void step(const Eigen::VectorXd& load_n) noexcept override {
    double* const in = input_.data();
    for (Eigen::Index i = 0; i < n_; ++i) {
      in[i] = x_[i];
      in[n_ + i] = v_[i];
      in[2 * n_ + i] = in[3 * n_ + i];  // the new load of the last step
      in[3 * n_ + i] = load_n[i];
    }
    linalg::multiply(gain_, input_, output_);
    for (Eigen::Index i = 0; i < n_; ++i) {
      x_[i] = output_[i];
      v_[i] = output_[n_ + i];
    }
    stepped_ = true;
  }

  /// Of the step that was the last: most tests never ask.
  const Eigen::VectorXd& acceleration() const noexcept override {
    if (stepped_) linalg::multiply(acceleration_gain_, input_, stepped_a_);
    return stepped_ ? stepped_a_ : a_;
  }

  Eigen::VectorXd state() const override { return joined(x_, v_, acceleration(), input_.tail(n_)); }
  void setState(const Eigen::VectorXd& state) override {
    Integrator::setState(state);
    input_.tail(n_) = state.tail(n_);
    stepped_ = false;
  }

 private:
  Eigen::Index n_;
  Eigen::MatrixXd gain_;               // [2n, 4n]: (x, v) from (x, v, old load, new load)
  Eigen::MatrixXd acceleration_gain_;  // [n, 4n]: the same for a
  Eigen::VectorXd input_, output_;     // [4n], [2n]
  bool stepped_ = false;               // since a_ was set
  mutable Eigen::VectorXd stepped_a_;  // [n]
};

}  // namespace

std::unique_ptr<Integrator> makeExact(const SystemMatrices& system, double step_s, bool hold) {
  return std::make_unique<Exact>(system, step_s, hold);
}

}  // namespace hyb
