#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/harmonic/balance_method.h"

namespace hyb {

/// Settings of the solver of a harmonic balance at one frequency. Residuals in the unit of their norm.
struct BalanceSolverSettings {
  std::string method = "broyden";  // balanceMethods()
  double tolerance = 0.01;         // converged below
  double steadiness = 0.01;        // change of the residual between two averages at which an evaluation is accepted
  int least_averages = 2, most_averages = 40;  // of an evaluation
  double first_step = 0.25;                    // V: perturbation of each entry in turn, for a Jacobian
  double bound = 4.0;                          // V: of the amplitude of each command and harmonic
  double step_bound = 2.0;                     // V: norm of a step
  int iterations = 100;                        // at one frequency
  int refresh_after = 8;                       // steps without convergence before a new Jacobian
  bool both_phases = true;    // perturbs cos and sin; otherwise sin follows from cos, as for a linear rig
  double first_factor = 1.0;  // intended error: multiplies the first Jacobian
};

/// End of a frequency. Numbers of the run file, so never renumber.
enum class BalanceEnd : std::int32_t {
  converged = 0,
  iterations = 1,
  not_steady = 2,
  bound = 3,
  singular = 4,
  unheard = 5
};

/// Solves R(V) = 0 for the real amplitudes V [2 n] of the commands, in pairs [re, im], by steps V -= J^-1 R with an
/// inverse Jacobian. A method improves the inverse or the step (balance_method.h).
/// Each evaluation of R takes two or more averages, until it is steady. The first Jacobian comes from a step of each
/// entry of V. A new one (four iterations) is measured if convergence takes too many steps, or if the residual grows to
/// five times the best: from the best V, measured again. A step that is too long, or leaves the bounds, is shortened in
/// its direction. J^-1 of the previous frequency is used until a new one has been found. A command is "unheard" if its
/// perturbation does not change the residual by more than noise can, and by far less than another one does.
/// Allocates only in the constructor.
/// Source: A. Vizzaccaro et al., Iterative method for real-time hybrid testing, section 2.4.
class BalanceSolver {
 public:
  BalanceSolver(const BalanceSolverSettings& settings, Eigen::Index unknowns);
  /// Discards all measured values.
  void reset() noexcept;
  /// Starts the next frequency from the last result, or from other amplitudes, as near as the bounds permit.
  void beginPoint() noexcept;
  void beginPoint(const Eigen::VectorXd& start) noexcept;
  /// Restarts the running evaluation: the rig was at rest in between.
  void restartEvaluation() noexcept { in_evaluation_ = 0; }

  enum class Next : std::uint8_t {
    average,  // one more, at the same V
    apply,    // command() has changed
    end,      // of this frequency: end() is the reason, command() and residual() the result
  };
  /// Takes the residual [2 n] of one more average at command().
  Next take(const Eigen::VectorXd& residual) noexcept;

  const Eigen::VectorXd& command() const noexcept { return v_; }
  const Eigen::VectorXd& best() const noexcept { return best_v_; }
  BalanceEnd end() const noexcept { return end_; }
  double residual() const noexcept { return best_norm_; }  // at the end
  int iterations() const noexcept { return iterations_; }
  int evaluations() const noexcept { return evaluations_; }
  int averages() const noexcept { return averages_; }
  /// True if the last average belongs to an evaluation of the best V so far, whose measured values are the result.
  bool bestIsNow() const noexcept { return best_is_now_; }
  /// Least over largest pivot of the last Jacobian, and the pair of unknowns with the least effect; or the unheard
  /// pair, and its change of the residual.
  double apart() const noexcept { return apart_; }
  Eigen::Index leastPair() const noexcept { return least_pair_; }

 private:
  enum class Stage : std::uint8_t { step, measure_again, perturb };
  Next evaluated() noexcept;
  Next finish(BalanceEnd end) noexcept;
  Next renew() noexcept;
  Next measureJacobian() noexcept;
  Next perturb() noexcept;
  Next perturbed() noexcept;
  Next step() noexcept;
  void update() noexcept;
  bool invert() noexcept;
  bool allHeard() noexcept;
  double withinBounds() const noexcept;
  bool atBound() const noexcept;

  BalanceSolverSettings settings_;
  Eigen::Index unknowns_;
  Stage stage_ = Stage::step;
  bool known_ = false;    // inverse_ is valid
  bool first_ = true;     // evaluation of this frequency
  bool renewed_ = false;  // inverse_ is of this frequency
  bool first_known_ = false;
  int iterations_ = 0, evaluations_ = 0, averages_ = 0, in_evaluation_ = 0;
  int steps_ = 0;           // with this Jacobian
  int blocked_ = 0;         // steps that the bounds blocked, with a Jacobian of this frequency
  Eigen::Index entry_ = 0;  // perturbed entry
  double h_ = 0.0;          // perturbation
  Eigen::VectorXd v_, r_, last_average_, last_v_, last_r_, best_v_, best_r_, dv_, dr_;
  std::unique_ptr<BalanceMethod> method_;
  Eigen::MatrixXd jacobian_, inverse_;
  std::vector<Eigen::Index> column_of_;  // of jacobian_ while it is eliminated: unknown
  double best_norm_ = 0.0, apart_ = 0.0;
  Eigen::Index least_pair_ = 0;
  bool best_is_now_ = false;
  BalanceEnd end_ = BalanceEnd::converged;
};

}  // namespace hyb
