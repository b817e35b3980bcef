#pragma once
#include <Eigen/Core>
#include <cstdint>

namespace hyb {

/// Settings of a path. Unknowns are scaled, so that a path is a few units long.
struct PathSettings {
  double tolerance = 0.002;   // of the norm of the equations: a point is on the path below it
  double steadiness = 0.002;  // change of the equations between two averages at which an evaluation is accepted
  int least_averages = 2, most_averages = 20;                     // of an evaluation
  double perturbation = 0.02;                                     // of each unknown in turn, for a Jacobian
  double first_step = 0.04, least_step = 0.002, most_step = 0.1;  // along the path
  double turn_rad = 0.35;                                         // between two steps; above it steps no longer grow
  int quick = 4;                 // corrections of a point; above it steps no longer grow
  int corrections = 10;          // at most; then the step is halved
  int renew_after = 1000;        // corrections with one Jacobian; 1: Newton's method
  Eigen::Index pairs = 0;        // leading pairs of unknowns [re, im] whose norms stay within 1
  double low = 0.0, high = 1.0;  // of each other unknown: the path ends there
};

/// End of a path. Numbers of the run file, so never renumber.
enum class PathEnd : std::int32_t {
  open = 0,        // it continues
  reached = 1,     // its far end
  back = 2,        // its start
  bound = 3,       // of a pair
  points = 4,      // largest number
  step = 5,        // no point at the smallest step
  not_steady = 6,  // the averages there do not become steady
  resonance = 7,   // its end for a path up to phase resonance
  none = 8,        // its first point is not found
  edge = 9,        // of another unknown
};

/// Follows the path g(y) = 0 of n equations in n + 1 unknowns by pseudo-arclength, with measured g: each step predicts
/// by the parabola through the last three points and corrects in the plane normal to the step,
///   [J; c^T] dy = -[g; c^T (y - y_predicted)],   J += (dg - J dy) dy^T / (dy^T dy)   (Broyden)
/// so that folds are regular points. The first Jacobian comes from a perturbation of each unknown. If the corrections
/// fail, the step is halved and the Jacobian measured again at the last point; below the smallest step the path ends.
/// Steps grow and shrink with the number of corrections and with the turn of the path. Allocates only in the
/// constructor.
/// Sources: E. Allgower, K. Georg, Introduction to Numerical Continuation Methods, chapters 2, 6 and 7; D. A. W.
/// Barton, J. Sieber, Phys. Rev. E 87 (2013) 052916 (with experiments).
class PathFollower {
 public:
  PathFollower(const PathSettings& settings, Eigen::Index equations);
  /// From y [n + 1]; the first point keeps entry `held` constant, and the path starts with it rising.
  void begin(const Eigen::VectorXd& y, Eigen::Index held) noexcept;
  /// Restarts the running evaluation: the rig was at rest in between.
  void restartEvaluation() noexcept { in_evaluation_ = 0; }

  enum class Next : std::uint8_t {
    average,  // one more, at the same y
    apply,    // unknowns() have changed
    point,    // unknowns() are on the path: advance()
    stuck,    // end() is the reason
  };
  /// Takes g [n] of one more average at unknowns().
  Next take(const Eigen::VectorXd& g) noexcept;
  /// After a point: predicts the next unknowns(). False: the point was the last, end() is the reason.
  bool advance() noexcept;

  const Eigen::VectorXd& unknowns() const noexcept { return y_; }
  PathEnd end() const noexcept { return end_; }
  double residual() const noexcept { return last_g_.norm(); }
  /// Of the last point: corrections, evaluations and averages since the previous one, length of its step and of the
  /// path.
  int corrections() const noexcept { return corrections_; }
  int evaluations() const noexcept { return evaluations_; }
  int averages() const noexcept { return averages_; }
  double step() const noexcept { return walked_; }
  double length() const noexcept { return length_; }
  /// dy/ds of an unknown at the last point.
  double slope(Eigen::Index unknown) const noexcept;

 private:
  enum class Stage : std::uint8_t { correct, measure_again, perturb };
  Next evaluated() noexcept;
  Next perturb() noexcept;
  Next perturbed() noexcept;
  Next correct() noexcept;
  Next accept() noexcept;
  Next fail() noexcept;
  void update() noexcept;
  bool predict() noexcept;
  bool outside() const noexcept;
  void holdAtBound(const Eigen::VectorXd& from) noexcept;

  PathSettings settings_;
  Eigen::Index equations_;
  Stage stage_ = Stage::correct;
  bool known_ = false;                        // jacobian_ is valid
  bool measured_ = false;                     // last_y_, last_g_ belong to this attempt
  bool renewed_ = false;                      // jacobian_ was measured at the last point,
  bool renewing_ = false;                     // is being measured there
  bool unsteady_ = false, at_bound_ = false;  // reason of the failed attempt
  int in_evaluation_ = 0, corrections_ = 0, evaluations_ = 0, averages_ = 0, with_jacobian_ = 0, points_ = 0;
  double step_ = 0.0, walked_ = 0.0, length_ = 0.0;
  Eigen::Index held_ = -1, first_held_ = 0;  // constant during corrections; -1: the plane is used
  Eigen::Index entry_ = 0;                   // perturbed entry
  double h_ = 0.0;
  PathEnd end_ = PathEnd::open;
  Eigen::VectorXd y_, predicted_, normal_, last_y_, last_g_, g_, average_, dy_, dg_, right_;
  Eigen::VectorXd point_[3];        // the last ones, newest first
  double at_[3] = {0.0, 0.0, 0.0};  // lengths there
  Eigen::MatrixXd jacobian_, system_;
};

}  // namespace hyb
