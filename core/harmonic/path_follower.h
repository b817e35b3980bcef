#pragma once
#include <Eigen/Core>
#include <cstdint>

namespace hyb {

/// How a path is followed. Unknowns are scaled, so that a path is a few units long.
struct PathSettings {
  double tolerance = 0.002;   // of the norm of the equations: on the path below
  double steadiness = 0.002;  // change of the equations between two averages at which an evaluation counts
  int least_averages = 2, most_averages = 20;                     // of an evaluation
  double perturbation = 0.02;                                     // of each unknown in turn, for a Jacobian
  double first_step = 0.04, least_step = 0.002, most_step = 0.1;  // along the path
  double turn_rad = 0.35;                                         // between two steps, at which they get no longer
  int quick = 4;                                                  // corrections of a point, likewise
  int corrections = 10;                                           // at most; then the step is halved
  int renew_after = 1000;                                         // corrections with one Jacobian; 1: Newton's method
  Eigen::Index pairs = 0;        // leading pairs of unknowns [re, im] whose norms stay within 1
  double low = 0.0, high = 1.0;  // of each other unknown: where the path comes there, it ends
};

/// How a path ended. Numbers of the run file, so never renumber.
enum class PathEnd : std::int32_t {
  open = 0,        // it goes on
  reached = 1,     // its far end
  back = 2,        // the end at which it began
  bound = 3,       // of a pair
  points = 4,      // as many as there may be
  step = 5,        // no point is found even one least step away
  not_steady = 6,  // the averages there do not become steady
  resonance = 7,   // it was to be followed up to its phase resonance, which it has passed
  none = 8,        // its first point is not found
  edge = 9,        // of another unknown
};

/// Follows the path g(y) = 0 of n equations in n + 1 unknowns by pseudo-arclength, where g is measured: each step
/// predicts by the parabola through the last three points and corrects in the plane normal to the step,
///   [J; c^T] dy = -[g; c^T (y - y_predicted)],   J += (dg - J dy) dy^T / (dy^T dy)   (Broyden)
/// so that folds are points like any others. The first Jacobian comes from a perturbation of each unknown. Where the
/// corrections come to nothing the step is halved and the Jacobian measured anew at the last point; below the least
/// step the path ends. Steps grow and shrink with the corrections and with the turn of the path.
/// Nothing allocates but the constructor.
/// Sources: E. Allgower, K. Georg, Introduction to Numerical Continuation Methods, chapters 2, 6 and 7; D. A. W.
/// Barton, J. Sieber, Phys. Rev. E 87 (2013) 052916 (with experiments).
class PathFollower {
 public:
  PathFollower(const PathSettings& settings, Eigen::Index equations);
  /// From y [n + 1]; the first point keeps entry `held` as it is, and the path begins with it rising.
  void begin(const Eigen::VectorXd& y, Eigen::Index held) noexcept;
  /// The evaluation that runs begins anew: the rig stood still in between.
  void restartEvaluation() noexcept { in_evaluation_ = 0; }

  enum class Next : std::uint8_t {
    average,  // once more, at the same y
    apply,    // unknowns() are others
    point,    // unknowns() are on the path: advance()
    stuck,    // end() says why
  };
  /// g [n] of one more average at unknowns().
  Next take(const Eigen::VectorXd& g) noexcept;
  /// After a point: to the next prediction, in unknowns(). False: the point was the last, end() says why.
  bool advance() noexcept;

  const Eigen::VectorXd& unknowns() const noexcept { return y_; }
  PathEnd end() const noexcept { return end_; }
  double residual() const noexcept { return last_g_.norm(); }
  /// Of the last point: corrections, evaluations and averages since the one before, length of its step and of the path.
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
  bool known_ = false;                        // jacobian_ is one
  bool measured_ = false;                     // last_y_, last_g_ are of this attempt
  bool renewed_ = false;                      // jacobian_ has been measured at the last point,
  bool renewing_ = false;                     // is being
  bool unsteady_ = false, at_bound_ = false;  // why the attempt failed
  int in_evaluation_ = 0, corrections_ = 0, evaluations_ = 0, averages_ = 0, with_jacobian_ = 0, points_ = 0;
  double step_ = 0.0, walked_ = 0.0, length_ = 0.0;
  Eigen::Index held_ = -1, first_held_ = 0;  // kept by the corrections; -1: the plane is
  Eigen::Index entry_ = 0;                   // that is perturbed
  double h_ = 0.0;
  PathEnd end_ = PathEnd::open;
  Eigen::VectorXd y_, predicted_, normal_, last_y_, last_g_, g_, average_, dy_, dg_, right_;
  Eigen::VectorXd point_[3];        // the last ones, newest first
  double at_[3] = {0.0, 0.0, 0.0};  // lengths there
  Eigen::MatrixXd jacobian_, system_;
};

}  // namespace hyb
