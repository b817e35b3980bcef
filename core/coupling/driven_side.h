#pragma once
#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "core/integration/integrator.h"
#include "core/structure/system.h"

namespace hyb {

/// The computed side of a force-based test. Its interface has the measured motion of the specimen; its output is the
/// force for this motion, which the actuators apply through compliance springs. From M x'' + C x' + K x + r = p with x
/// = [x_I, x_N] and no mass at the interface:
///   M_NN x_N'' + C_NN x_N' + K_NN x_N + r = p_N - C_NI x_I' - K_NI x_I
///   z = K_II x_I + C_II x_I' + K_IN x_N + C_IN x_N' - p_I     force of the PS on the NS that it needs
///   piston = x - z/k                                          x: the specimen, k: the spring, nominal
/// x_I' is that of the tick itself, by differences of second order (3 x_k - 4 x_k-1 + x_k-2) / 2T; a difference over
/// the last tick would be half a tick late. The rates of z and piston are differences over the tick. All are 0 in the
/// first step. Source: D. Araya, MSc thesis, UTFSM 2023, equations 4.8, 4.9 and 4.19.
class DrivenSide {
 public:
  /// `interface`: DOF of `numerical`, [i]; `springs_n_per_m` [i]. Throws InputError for fault(), and as
  /// makeIntegrator().
  DrivenSide(const IntegratorSpec& integrator, const SystemMatrices& numerical,
             const std::vector<Eigen::Index>& interface, Eigen::VectorXd springs_n_per_m, double tick_s);
  /// Returns to rest. Real-time safe.
  void reset() noexcept;
  /// One step to the next tick: load_n [n] at that tick, and the motion of the interface [i], m; `specimen_m` [i]:
  /// position of the specimen. Real-time safe.
  void step(const Eigen::VectorXd& load_n, const Eigen::VectorXd& interface_m,
            const Eigen::VectorXd& specimen_m) noexcept;

  const Eigen::VectorXd& target() const noexcept { return target_; }           // z [i], N
  const Eigen::VectorXd& targetRate() const noexcept { return target_rate_; }  // [i], N/s
  const Eigen::VectorXd& piston() const noexcept { return piston_; }           // [i], m
  const Eigen::VectorXd& pistonRate() const noexcept { return piston_rate_; }  // [i], m/s
  double displacement(Eigen::Index dof) const noexcept;                        // of `numerical`, m
  double velocity(Eigen::Index dof) const noexcept;                            // of `numerical`, m/s

  /// Complete state between ticks; without nonlinear links the step is linear in it. Not real-time.
  Eigen::VectorXd state() const;
  void setState(const Eigen::VectorXd& state);

  /// Why a system cannot be driven this way, one sentence; "" if it can.
  static std::string fault(const SystemMatrices& numerical, const std::vector<Eigen::Index>& interface);
  /// The remaining system with the interface held, including its nonlinear links; only without faults.
  static SystemMatrices inner(const SystemMatrices& numerical, const std::vector<Eigen::Index>& interface);

 private:
  std::vector<Eigen::Index> interface_, inner_, place_;  // place_ [n]: in inner_, or -1 - place in interface_
  std::unique_ptr<Integrator> integrator_;               // of the inner DOF
  Eigen::MatrixXd minus_k_ni_, minus_c_ni_, k_ii_, c_ii_, k_in_, c_in_;
  Eigen::VectorXd springs_;
  double tick_s_;
  bool first_ = true, second_ = false;  // step
  Eigen::VectorXd load_, interface_m_, moved_m_, rate_, target_, target_rate_, piston_, piston_rate_, last_target_,
      last_piston_;
};

}  // namespace hyb
