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
      : n_(system.size()), loads_at_once_(n_), gain_(2 * n_, 4 * n_), acceleration_gain_(n_, 4 * n_) {
    const Eigen::MatrixXd c(system.c), k(system.k), m_inverse = linalg::inverse(Eigen::MatrixXd(system.m));
    const double h = step_s;

    // d/dtau of (x, h v, p, h p') over one step tau = t/h: scaled by h, so that soft and stiff systems are similar.
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
    motion_ = old_motion_ = loads_ = Eigen::VectorXd::Zero(2 * n_);
  }

  void reset() noexcept override {
    x_.setZero();
    v_.setZero();
    a_.setZero();
    motion_.setZero();
    loads_.setZero();
    stepped_ = false;
  }

  bool loadBy(const Eigen::MatrixXd& columns) override {
    loads_at_once_ = columns.cols();
    loads_.setZero(2 * loads_at_once_);
    for (Eigen::MatrixXd* gain : {&gain_, &acceleration_gain_}) {
      Eigen::MatrixXd by_shares(gain->rows(), 2 * (n_ + loads_at_once_));
      by_shares << gain->leftCols(2 * n_), gain->middleCols(2 * n_, n_) * columns, gain->rightCols(n_) * columns;
      *gain = std::move(by_shares);
    }
    return true;
  }

  [[gnu::hot]] void step(const Eigen::VectorXd& load_n) noexcept override {
    double *const old_load = loads_.data(), *const load = old_load + loads_at_once_;
    const double* const given = load_n.data();
    for (Eigen::Index i = 0; i < loads_at_once_; ++i) {
      old_load[i] = load[i];
      load[i] = given[i];
    }
    old_motion_.swap(motion_);
    linalg::multiplyStacked(gain_, motion_, old_motion_, loads_);
    const double *const new_x = motion_.data(), *const new_v = new_x + n_;
    double *const x = x_.data(), *const v = v_.data();
    for (Eigen::Index i = 0; i < n_; ++i) {
      x[i] = new_x[i];
      v[i] = new_v[i];
    }
    stepped_ = true;
  }

  /// Of the last step; computed on demand, because most tests do not use it.
  const Eigen::VectorXd& acceleration() const noexcept override {
    if (stepped_) linalg::multiplyStacked(acceleration_gain_, stepped_a_, old_motion_, loads_);
    return stepped_ ? stepped_a_ : a_;
  }

  Eigen::VectorXd state() const override { return joined(x_, v_, acceleration(), loads_.tail(loads_at_once_)); }
  void setState(const Eigen::VectorXd& state) override {
    Integrator::setState(state);
    motion_ = state.head(2 * n_);
    loads_.tail(loads_at_once_) = state.tail(loads_at_once_);
    stepped_ = false;
  }

 private:
  Eigen::Index n_, loads_at_once_;       // m: n, or number of load columns
  Eigen::MatrixXd gain_;                 // [2n, 2n + 2m]: (x, v) from (x, v, old load, new load)
  Eigen::MatrixXd acceleration_gain_;    // [n, 2n + 2m]: the same for a
  Eigen::VectorXd motion_, old_motion_;  // [2n]: (x, v) after and before the last step
  Eigen::VectorXd loads_;                // [2m]: of the step before the last, followed by the last
  bool stepped_ = false;                 // since a_ was set
  mutable Eigen::VectorXd stepped_a_;    // [n]
};

}  // namespace

std::unique_ptr<Integrator> makeExact(const SystemMatrices& system, double step_s, bool hold) {
  return std::make_unique<Exact>(system, step_s, hold);
}

}  // namespace hyb
