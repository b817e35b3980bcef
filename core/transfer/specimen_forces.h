#pragma once
#include <Eigen/Core>
#include <span>
#include <vector>

#include "core/transfer/specimen_law.h"

namespace hyb {

/// The laws of a specimen where they act on a linear system, with their histories. A move is tried first and becomes
/// the past with commit(). All but add() and the states are real-time safe.
class SpecimenForces {
 public:
  /// A displacement and its velocity in the state, with all laws that act there.
  struct Place {
    Eigen::Index x, v;
    bool yields;               // moves under the force; else its motion is given
    bool of_actuator = false;  // the force is inside an actuator: neither specimen nor load cell feels it
  };
  /// `beside`: place in the state of the displacement that the law needs beside its own; -1: of none.
  void add(const Place& place, SpecimenLawPtr law, Eigen::Index beside = -1);

  bool empty() const noexcept { return places_.empty(); }
  const std::vector<Place>& places() const noexcept { return places_; }
  /// Steepest slopes of all laws at a place, N/m and N s/m.
  double stiffness(std::size_t place) const noexcept;
  double damping(std::size_t place) const noexcept;

  /// As if it had come to stand in `state` from rest at zero.
  void place(const Eigen::VectorXd& state) noexcept;
  /// Nothing acts on the places that yield on their way from `before` (which may go on behind its state) to `state`,
  /// neither on a curved one.
  bool idle(const Eigen::VectorXd& before, const Eigen::VectorXd& state, double step_s) const noexcept;
  /// `state` is where the system gets in step_s without the laws, and by yielding [s, places] for a force of 1 N that
  /// resists over the step; takes in what they do. Each place resists with the mean of its force over its straight way,
  /// so that exactly as much energy goes into the law as the system loses (a discrete gradient), whatever the step;
  /// what is left is of second order in it. Source: O. Gonzalez, J. Nonlinear Sci. 6 (1996) 449. Then what meets a
  /// rigid ground gets an impulse at the instant at which it does, found on a parabola; it stays on the ground where it
  /// would come down again within the step.
  void resist(const Eigen::MatrixXd& yielding, double step_s, Eigen::VectorXd& state) noexcept;
  /// The same for smooth laws, without a search: each with the mean over the way that the step would go without any.
  void resistAtOnce(const Eigen::MatrixXd& yielding, double step_s, Eigen::VectorXd& state) noexcept;
  /// All laws are smooth().
  bool smooth() const noexcept;
  /// Forces after a move to `state`.
  void attempt(const Eigen::VectorXd& state) noexcept;
  void commit() noexcept {
    if (empty()) return;
    histories_.swap(next_);
    reaction_.setZero();
  }
  /// N, of the last attempt(), [places]; they resist. Of a rigid ground the mean over the step.
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
  std::vector<std::size_t> first_;  // [places + 1]: of laws_
  std::vector<LinkHistory> histories_, next_;
  Eigen::VectorXd force_, mean_, reaction_;  // [places], N; reaction_: mean force of rigid grounds over the step
};

}  // namespace hyb
