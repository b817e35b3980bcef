#pragma once
#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "core/integration/integrator.h"
#include "core/structure/system.h"

namespace hyb {

/// The computed side of a force-based test: its interface moves as the specimen was measured to move, and asks for the
/// force that this takes, which the actuators bring up through compliance springs. Of M x'' + C x' + K x + r = p with
/// x = [x_I, x_N] and no mass at the interface:
///   M_NN x_N'' + C_NN x_N' + K_NN x_N + r = p_N - C_NI x_I' - K_NI x_I
///   z = K_II x_I + C_II x_I' + K_IN x_N + C_IN x_N' - p_I     force of the PS on the NS that it needs
///   piston = x - z/k                                          x: the specimen, k: the spring, nominal
/// x_I' is of the tick itself, by differences of second order (3 x_k - 4 x_k-1 + x_k-2) / 2T: that over the last tick
/// is of half a tick before. The rates of z and piston are differences over the tick. All are 0 in the first step.
/// Source: D. Araya, MSc thesis, UTFSM 2023, equations 4.8, 4.9 and 4.19.
class DrivenSide {
 public:
  /// `interface`: DOF of `numerical`, [i]; `springs_n_per_m` [i]. Throws InputError: fault() of it, and what
  /// makeIntegrator() refuses.
  DrivenSide(const IntegratorSpec& integrator, const SystemMatrices& numerical,
             const std::vector<Eigen::Index>& interface, Eigen::VectorXd springs_n_per_m, double tick_s);
  /// At rest. Real-time safe.
  void reset() noexcept;
  /// One step to the next tick: load_n [n] there, and how the interface moves [i], m; `specimen_m` [i], where the
  /// specimen stands. Real-time safe.
  void step(const Eigen::VectorXd& load_n, const Eigen::VectorXd& interface_m,
            const Eigen::VectorXd& specimen_m) noexcept;

  const Eigen::VectorXd& target() const noexcept { return target_; }           // z [i], N
  const Eigen::VectorXd& targetRate() const noexcept { return target_rate_; }  // [i], N/s
  const Eigen::VectorXd& piston() const noexcept { return piston_; }           // [i], m
  const Eigen::VectorXd& pistonRate() const noexcept { return piston_rate_; }  // [i], m/s
  double displacement(Eigen::Index dof) const noexcept;                        // of `numerical`, m
  double velocity(Eigen::Index dof) const noexcept;                            // likewise, m/s

  /// Everything carried from tick to tick; without nonlinear links the step is linear in it. Not real-time.
  Eigen::VectorXd state() const;
  void setState(const Eigen::VectorXd& state);

  /// What keeps a system from being driven so, one sentence; "" if nothing does.
  static std::string fault(const SystemMatrices& numerical, const std::vector<Eigen::Index>& interface);
  /// What is left of it with the interface held, its nonlinear links among it; without faults.
  static SystemMatrices inner(const SystemMatrices& numerical, const std::vector<Eigen::Index>& interface);

 private:
  std::vector<Eigen::Index> interface_, inner_, place_;  // place_ [n]: in inner_, or -1 - place in interface_
  std::unique_ptr<Integrator> integrator_;               // of the inner DOF
  Eigen::MatrixXd k_ni_, c_ni_, k_ii_, c_ii_, k_in_, c_in_;
  Eigen::VectorXd springs_;
  double tick_s_;
  bool first_ = true, second_ = false;  // step
  Eigen::VectorXd load_, interface_m_, moved_m_, rate_, target_, target_rate_, piston_, piston_rate_, last_target_,
      last_piston_;
};

}  // namespace hyb
