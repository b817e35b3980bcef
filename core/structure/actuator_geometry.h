#pragma once
#include <Eigen/Core>
#include <vector>

namespace hyb {

/// Exact motion of actuator axes whose joints do not lie at the centre of rotation of the interface. With the rotation
/// r of one interface DOF, a joint at `along_m` in the direction of the axis and with the lever arm `lever_m` moves by
///   a = (translations) + lever sin r + along (cos r - 1).
/// The axes of a partition are linear: a = T q, with lever r in place of the last two terms. This class converts
/// between both. Without offsets they are equal. Source: Condori Uribe et al., Front. Built Environ. 9 (2023) 1270996
/// (coupler of two actuators).
class ActuatorGeometry {
 public:
  struct Offset {
    Eigen::Index axis = 0;
    Eigen::Index rotation = 0;  // of the interface DOF
    double lever_m = 0.0, along_m = 0.0;
  };
  ActuatorGeometry() = default;
  /// motion: q = motion a for the linear axes, [DOF, axes].
  ActuatorGeometry(Eigen::MatrixXd motion, std::vector<Offset> offsets);

  bool linear() const noexcept { return offsets_.empty(); }
  const std::vector<Offset>& offsets() const noexcept { return offsets_; }
  /// [axes] of the same motion; `exact` is another object. Real-time safe.
  void toExact(const Eigen::VectorXd& linear, Eigen::VectorXd& exact) const noexcept;
  /// The inverse, by Newton's method; NaN if no motion of the interface leads to these axes. Real-time safe.
  void toLinear(const Eigen::VectorXd& exact, Eigen::VectorXd& linear) noexcept;
  /// Rates of the exact axes for a motion and its rate. Real-time safe.
  void toExactRate(const Eigen::VectorXd& linear, const Eigen::VectorXd& linear_rate,
                   Eigen::VectorXd& exact_rate) const noexcept;

 private:
  double rotation(const Offset& offset, const Eigen::VectorXd& linear) const noexcept;
  bool solve() noexcept;

  Eigen::MatrixXd motion_;  // [DOF, axes]
  std::vector<Offset> offsets_;
  Eigen::MatrixXd slope_;    // [axes, axes]: d exact / d linear; scratch
  Eigen::VectorXd missing_;  // [axes]; scratch
};

}  // namespace hyb
