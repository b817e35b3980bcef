#pragma once
#include <Eigen/Core>

#include "core/structure/partition.h"

namespace hyb {

/// Force of the PS on the NS, computed from the measured motion and the model of the specimen instead of a load cell:
///   f = -(K x + C x' + M x''),   x' and x'' by backward differences over one tick, second difference for x''
/// in linear actuator axes. The first row has only the static part, the second no acceleration.
/// Source: Condori Uribe et al., Front. Built Environ. 9 (2023) 1270996 (specimen without force sensor).
class ModelledForce {
 public:
  /// Throws InputError ("/coupling/force"): the specimen has DOF inside.
  ModelledForce(const Partition& partition, double step_s);
  /// Without history. Real-time safe.
  void restart() noexcept { seen_ = 0; }
  /// Motion of this tick [i], m, to its force [i], N. Real-time safe.
  void update(const Eigen::VectorXd& motion, Eigen::VectorXd& force) noexcept;

 private:
  double step_s_;
  Eigen::MatrixXd m_, c_, k_;            // [i, i], in the order of the interface
  Eigen::VectorXd last_, before_last_;   // [i], m
  Eigen::VectorXd rate_, acceleration_;  // [i]; scratch
  int seen_ = 0;                         // ticks of the history, at most 2
};

}  // namespace hyb
