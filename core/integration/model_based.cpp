#include "core/integration/linked_scheme.h"

namespace hyb {
namespace {

/// Explicit schemes with model-based weights for stability:
///   A = M + gamma dt C + beta dt^2 K,  alpha_1 = A^-1 M,
///   v' = v + dt alpha_1 a,  x' = x + dt v + dt^2 (1/2 + gamma) alpha_1 a,
///   M (I - alpha_3) a' + M alpha_3 a = force at the weighted instant 1 - alpha_f,
///   alpha_3 = A^-1 (alpha_m M + alpha_f (gamma dt C + beta dt^2 K)) = alpha_f I + (alpha_m - alpha_f) alpha_1.
/// With the force balanced this way displacements are of order two. The velocity is that of the scheme, which lags by
/// gamma dt (for CR it is the slope of the last step): a motion with initial velocity v and acceleration a starts with
/// v - gamma dt a here.
/// Sources: C. Chen, J. M. Ricles, J. Eng. Mech. 134 (2008), Earthq. Eng. Struct. Dyn. 37 (2008); C. Kolay,
/// J. M. Ricles, Earthq. Eng. Struct. Dyn. 43 (2014), J. Earthq. Eng. 23 (2019).
struct ModelBasedWeights {
  double alpha_m = 0.0, alpha_f = 0.0, gamma = 0.5, beta = 0.25;
};

ModelBasedWeights modelBasedWeights(Scheme scheme, double rho) noexcept {
  ModelBasedWeights w;  // CR
  if (scheme == Scheme::cr) return w;
  w.alpha_f = rho / (rho + 1.0);
  if (scheme == Scheme::kr_alpha) {
    w.alpha_m = (2.0 * rho - 1.0) / (rho + 1.0);
    w.gamma = 0.5 - w.alpha_m + w.alpha_f;
    w.beta = 0.25 * (0.5 + w.gamma) * (0.5 + w.gamma);
  } else {
    // For infinite frequency the three roots are -rho and +-i rho, and a displaced mass swings from x to at most -x:
    // x' = (1 - (1/2 + gamma) / beta) x. Kolay and Ricles call rho^2 the equivalent radius.
    w.alpha_m = (2.0 * rho * rho * rho + rho * rho - 1.0) / ((rho * rho + 1.0) * (rho + 1.0));
    w.gamma = 0.5 - w.alpha_m + w.alpha_f;
    w.beta = 0.5 * (0.5 + w.gamma);
  }
  return w;
}

class ModelBased final : public LinkedScheme {
 public:
  ModelBased(const ModelBasedWeights& weights, const SystemMatrices& system, double step_s)
      : LinkedScheme(system), w_(weights), h_(step_s), m_(system.m), c_(system.c), k_(system.k), mass_(m_) {
    const SparseMatrix rest = w_.gamma * h_ * c_ + w_.beta * h_ * h_ * k_;
    predictor_ = effectiveMatrix(m_ + rest);
    if (w_.alpha_m != w_.alpha_f) corrector_ = effectiveMatrix((1.0 - w_.alpha_m) * m_ + (1.0 - w_.alpha_f) * rest);
    inertia_ = gain_ = mixed_x_ = mixed_v_ = force_ = Eigen::VectorXd::Zero(m_.rows());
  }

  void step(const Eigen::VectorXd& load_n) noexcept override {
    const double old = w_.alpha_f, fresh = 1.0 - w_.alpha_f, kappa = w_.alpha_m - w_.alpha_f;
    inertia_.noalias() = m_ * a_;
    gain_ = inertia_;
    predictor_.solve(gain_);  // alpha_1 a

    mixed_x_ = old * x_;
    mixed_v_ = old * v_;
    x_ += h_ * v_ + (0.5 + w_.gamma) * h_ * h_ * gain_;
    v_ += h_ * gain_;
    mixed_x_ += fresh * x_;
    mixed_v_ += fresh * v_;

    force_ = fresh * load_n + old * old_load_;
    force_.noalias() -= c_ * mixed_v_;
    force_.noalias() -= k_ * mixed_x_;
    links_.add(-old, force_);
    links_.commit(x_);
    links_.add(-fresh, force_);

    // M (I - alpha_3) = M A^-1 E with E = fresh A - kappa M: its inverse times (force - M alpha_3 a) needs only M and
    // E.
    a_ *= -old;
    if (kappa != 0.0) {
      inertia_ = force_ - inertia_;
      corrector_.solve(inertia_);
      a_ += kappa * inertia_;
    }
    mass_.solve(force_);
    a_ = (a_ + force_) / fresh;
    old_load_ = load_n;
  }

 private:
  ModelBasedWeights w_;
  double h_;
  SparseMatrix m_, c_, k_;
  LinearSolver mass_, predictor_, corrector_;                   // M, A, E
  Eigen::VectorXd inertia_, gain_, mixed_x_, mixed_v_, force_;  // [n]
};

}  // namespace

std::unique_ptr<Integrator> makeModelBased(Scheme scheme, double rho_inf, const SystemMatrices& system, double step_s) {
  return std::make_unique<ModelBased>(modelBasedWeights(scheme, rho_inf), system, step_s);
}

}  // namespace hyb
