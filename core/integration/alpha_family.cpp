#include "core/integration/linked_scheme.h"

namespace hyb {
namespace {

/// Equilibrium at a weighted instant of the step: inertia at 1 - alpha_m, all other forces at 1 - alpha_f, motion by
/// Newmark with beta and gamma. Sources: H. M. Hilber, T. J. R. Hughes, R. L. Taylor, Earthq. Eng. Struct. Dyn. 5
/// (1977); J. Chung, G. M. Hulbert, J. Appl. Mech. 60 (1993).
struct AlphaWeights {
  double alpha_m = 0.0, alpha_f = 0.0;

  double gamma() const noexcept { return 0.5 - alpha_m + alpha_f; }
  double beta() const noexcept { return 0.25 * (1.0 - alpha_m + alpha_f) * (1.0 - alpha_m + alpha_f); }
};

AlphaWeights alphaWeights(Scheme scheme, double rho) noexcept {
  switch (scheme) {
    case Scheme::hht:
    case Scheme::alpha_os:
      return {0.0, (1.0 - rho) / (1.0 + rho)};
    case Scheme::generalised_alpha:
      return {(2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)};
    default:
      return {};  // Newmark with beta 1/4, gamma 1/2
  }
}

/// Nonlinear link forces use the predicted displacement, which depends only on the past, while M, C and K stay
/// implicit: this is alpha operator splitting. Source: D. Combescure, P. Pegon, Nucl. Eng. Des. 174 (1997).
class AlphaFamily final : public LinkedScheme {
 public:
  AlphaFamily(const AlphaWeights& weights, const SystemMatrices& system, double step_s)
      : LinkedScheme(system),
        w_(weights),
        gamma_h_(w_.gamma() * step_s),
        beta_hh_(w_.beta() * step_s * step_s),
        h_(step_s),
        m_(system.m),
        c_(system.c),
        k_(system.k),
        effective_(effectiveMatrix((1.0 - w_.alpha_m) * m_ + (1.0 - w_.alpha_f) * (gamma_h_ * c_ + beta_hh_ * k_))) {
    mixed_x_ = mixed_v_ = force_ = Eigen::VectorXd::Zero(m_.rows());
  }

  void step(const Eigen::VectorXd& load_n) noexcept override {
    const double old = w_.alpha_f, fresh = 1.0 - w_.alpha_f;
    mixed_x_ = old * x_;
    mixed_v_ = old * v_;
    x_ += h_ * v_ + (0.5 * h_ * h_ - beta_hh_) * a_;
    v_ += (h_ - gamma_h_) * a_;
    mixed_x_ += fresh * x_;
    mixed_v_ += fresh * v_;

    force_ = fresh * load_n + old * old_load_;
    if (w_.alpha_m != 0.0) {
      a_ *= -w_.alpha_m;
      force_.noalias() += m_ * a_;
    }
    force_.noalias() -= c_ * mixed_v_;
    force_.noalias() -= k_ * mixed_x_;
    links_.add(-old, force_);
    links_.commit(x_);
    links_.add(-fresh, force_);
    effective_.solve(force_);

    a_ = force_;
    v_ += gamma_h_ * a_;
    x_ += beta_hh_ * a_;
    old_load_ = load_n;
  }

 private:
  AlphaWeights w_;
  double gamma_h_, beta_hh_, h_;
  SparseMatrix m_, c_, k_;
  LinearSolver effective_;
  Eigen::VectorXd mixed_x_, mixed_v_, force_;  // [n]
};

}  // namespace

std::unique_ptr<Integrator> makeAlphaFamily(Scheme scheme, double rho_inf, const SystemMatrices& system,
                                            double step_s) {
  return std::make_unique<AlphaFamily>(alphaWeights(scheme, rho_inf), system, step_s);
}

}  // namespace hyb
