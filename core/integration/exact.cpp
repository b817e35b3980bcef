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
      : n_(system.size()), gain_(3 * n_, 4 * n_), input_(4 * n_), output_(3 * n_) {
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
    auto state_gain = gain_.topRows(2 * n_);
    state_gain = transition.topRows(2 * n_);
    if (hold)
      state_gain.rightCols(n_).setZero();
    else
      state_gain.middleCols(2 * n_, n_) -= state_gain.rightCols(n_);
    state_gain.middleCols(n_, n_) *= h;
    state_gain.bottomRows(n_) /= h;

    gain_.bottomRows(n_) = -m_inverse * (k * gain_.topRows(n_) + c * gain_.middleRows(n_, n_));
    gain_.bottomRightCorner(n_, n_) += m_inverse;
    x_ = v_ = a_ = Eigen::VectorXd::Zero(n_);
    input_.setZero();
  }

  void reset() noexcept override {
    x_.setZero();
    v_.setZero();
    a_.setZero();
    input_.setZero();
  }

  void step(const Eigen::VectorXd& load_n) noexcept override {
    input_.segment(0, n_) = x_;
    input_.segment(n_, n_) = v_;
    input_.segment(2 * n_, n_) = input_.segment(3 * n_, n_);  // the new load of the last step
    input_.segment(3 * n_, n_) = load_n;
    linalg::multiply(gain_, input_, output_);
    x_ = output_.segment(0, n_);
    v_ = output_.segment(n_, n_);
    a_ = output_.segment(2 * n_, n_);
  }

  Eigen::VectorXd state() const override { return joined(Integrator::state(), input_.tail(n_)); }
  void setState(const Eigen::VectorXd& state) override {
    Integrator::setState(state);
    input_.tail(n_) = state.tail(n_);
  }

 private:
  Eigen::Index n_;
  Eigen::MatrixXd gain_;            // [3n, 4n]: (x, v, a) from (x, v, old load, new load)
  Eigen::VectorXd input_, output_;  // [4n], [3n]
};

}  // namespace

std::unique_ptr<Integrator> makeExact(const SystemMatrices& system, double step_s, bool hold) {
  return std::make_unique<Exact>(system, step_s, hold);
}

}  // namespace hyb
