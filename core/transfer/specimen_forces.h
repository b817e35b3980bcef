#pragma once
#include <Eigen/Core>
#include <span>
#include <vector>

#include "core/transfer/specimen_law.h"

namespace hyb {

/// The laws of a specimen in a linear system, with their histories. A move is attempted first and stored by commit().
/// All members except add() and the states are real-time safe.
class SpecimenForces {
 public:
  /// A displacement and its velocity in the state, with all laws acting on it.
  struct Place {
    Eigen::Index x, v;
    bool yields;               // moves under the force; else its motion is prescribed
    bool of_actuator = false;  // the force is inside an actuator and does not act on specimen or load cell
  };
  /// `beside`: place in the state of a second displacement that the law needs; -1: none.
  void add(const Place& place, SpecimenLawPtr law, Eigen::Index beside = -1);

  bool empty() const noexcept { return places_.empty(); }
  const std::vector<Place>& places() const noexcept { return places_; }
  /// Largest slopes of all laws at a place, N/m and N s/m.
  double stiffness(std::size_t place) const noexcept;
  double damping(std::size_t place) const noexcept;

  /// Histories as after a motion from rest at zero to `state`.
  void place(const Eigen::VectorXd& state) noexcept;
  /// True if no force acts on the yielding places on their path from `before` (which may have further entries) to
  /// `state`, straight or curved.
  bool idle(const Eigen::VectorXd& before, const Eigen::VectorXd& state, double step_s) const noexcept;
  /// `state`: result of step_s without the laws; yielding [s, places]: change of it by a resisting force of 1 N over
  /// the step. Adds the effect of the laws to `state`. Each place resists with the mean of its force over its straight
  /// path, so that the energy taken by the law is exactly that lost by the system (a discrete gradient), for any step;
  /// the remaining error is of second order in the step. Source: O. Gonzalez, J. Nonlinear Sci. 6 (1996) 449. Then a
  /// place that reaches a rigid ground gets an impulse at that instant, found on a parabola; it stays on the ground if
  /// it would return within the step.
  void resist(const Eigen::MatrixXd& yielding, double step_s, Eigen::VectorXd& state) noexcept;
  /// The same for smooth laws, without iteration: each with the mean over the path of the step without laws.
  void resistAtOnce(const Eigen::MatrixXd& yielding, double step_s, Eigen::VectorXd& state) noexcept;
  /// True if all laws are smooth().
  bool smooth() const noexcept;
  /// Forces after a move to `state`.
  void attempt(const Eigen::VectorXd& state) noexcept;
  void commit() noexcept {
    if (empty()) return;
    histories_.swap(next_);
    reaction_.setZero();
  }
  /// N, of the last attempt(), [places]; they resist. For a rigid ground the mean over the step.
  const Eigen::VectorXd& force() const noexcept { return force_; }

  std::vector<double> state() const;
  std::size_t states() const noexcept { return 2 * histories_.size(); }
  void setState(std::span<const double> state);

 private:
  struct Law {
    SpecimenLawPtr law;
    std::size_t place;
    Eigen::Index beside;
  };
  void land(const Law& law, const LinkHistory& from, const Eigen::MatrixXd& yielding, double step_s,
            Eigen::VectorXd& state) noexcept;
  double meanForce(std::size_t place, double x_m, double step_s) const noexcept;
  double balanced(std::size_t place, double free_m, double yields_m_per_n, double step_s) const noexcept;

  std::vector<Place> places_;
  std::vector<Law> laws_;           // place by place
  std::vector<std::size_t> first_;  // [places + 1]: index in laws_
  std::vector<LinkHistory> histories_, next_;
  Eigen::VectorXd force_, mean_, reaction_;  // [places], N; reaction_: mean force of rigid grounds over the step
};

}  // namespace hyb
