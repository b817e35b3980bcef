#include "core/integration/linked_scheme.h"

namespace hyb {
namespace {

/// Central difference and Newmark with beta 0, gamma 1/2 are one recursion:
///   x' = x + dt v + dt^2/2 a,  (M + dt/2 C) a' = p' - C (v + dt/2 a) - K x' - r(x'),  v' = v + dt/2 (a + a'),
/// because v = (x' - x_old) / 2dt and a = (x' - 2x + x_old) / dt^2. They differ in the output: central difference
/// returns x' from the loads up to the last tick, with v and a of that tick; explicit Newmark continues half a cycle
/// and returns all three at the new tick.
/// Sources: A. K. Chopra, Dynamics of Structures, ch. 5; N. M. Newmark, J. Eng. Mech. Div. ASCE 85 (1959).
class CentralDifference final : public LinkedScheme {
 public:
  CentralDifference(bool lagging, const SystemMatrices& system, double step_s)
      : LinkedScheme(system),
        lagging_(lagging),
        h_(step_s),
        c_(system.c),
        k_(system.k),
        effective_(effectiveMatrix(system.m + 0.5 * step_s * system.c)) {
    force_ = Eigen::VectorXd::Zero(system.size());
  }

  void step(const Eigen::VectorXd& load_n) noexcept override {
    if (!lagging_) moveOn();
    v_ += 0.5 * h_ * a_;
    links_.commit(x_);
    force_ = lagging_ ? old_load_ : load_n;
    force_.noalias() -= c_ * v_;
    force_.noalias() -= k_ * x_;
    links_.add(-1.0, force_);
    effective_.solve(force_);
    a_ = force_;
    v_ += 0.5 * h_ * a_;
    if (lagging_) moveOn();
    old_load_ = load_n;
  }

 private:
  void moveOn() noexcept { x_ += h_ * v_ + 0.5 * h_ * h_ * a_; }

  bool lagging_;
  double h_;
  SparseMatrix c_, k_;
  LinearSolver effective_;
  Eigen::VectorXd force_;  // [n]
};

}  // namespace

std::unique_ptr<Integrator> makeCentralDifference(Scheme scheme, const SystemMatrices& system, double step_s) {
  return std::make_unique<CentralDifference>(scheme == Scheme::central_difference, system, step_s);
}

}  // namespace hyb
