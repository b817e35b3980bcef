#include "core/transfer/command_response.h"

#include <numbers>

#include "core/linalg/dense.h"
#include "core/structure/reduction.h"
#include "core/transfer/leg.h"

namespace hyb {

// Row by row: x_i = G_i u_i for prescribed motion, and S((s + a3)(m s^2 x + D_P x) + a2 s x) + a1b0 x = a1b0 gain u for
// a servo-hydraulic actuator, S = s^2 + b1 s + b2.
Eigen::MatrixXcd commandResponse(const Partition& partition, const TwinParams& params, std::complex<double> s) {
  using Complex = std::complex<double>;
  const Eigen::MatrixXcd specimen = condensedStiffness(partition.physical, partition.interface_in_physical, s);
  const Eigen::Index count = specimen.rows();
  Eigen::MatrixXcd left = Eigen::MatrixXcd::Identity(count, count);
  Eigen::VectorXcd right(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const ActuatorParams& actuator = params.actuators.size() == 1 ? params.actuators[0] : params.actuators[index];
    const Complex late = actuator.model == ActuatorModel::ideal ? 1.0 : std::exp(-s * actuator.delay_s);
    right[i] = actuator.gain * late;
    if (actuator.model == ActuatorModel::servo) {
      const double w = 2.0 * std::numbers::pi * actuator.natural_frequency_hz;
      right[i] *= w * w / (s * s + 2.0 * actuator.damping_ratio * w * s + w * w);
    } else if (actuator.model == ActuatorModel::leg) {
      right[i] *= legResponse(actuator.leg, s);
    } else if (actuator.model == ActuatorModel::first_order) {
      right[i] /= 1.0 + actuator.lag_s * s;
    } else if (actuator.model == ActuatorModel::servo_hydraulic) {
      const HydraulicParams& h = actuator.hydraulic;
      const Complex valve = s * s + h.b1 * s + h.b2;
      left.row(i) = valve * (s + h.a3) / h.a1b0 * specimen.row(i);
      left(i, i) += 1.0 + valve * ((s + h.a3) * h.piston_mass_kg * s * s + h.a2 * s) / h.a1b0;
    }
  }
  return linalg::ComplexLu(left).solve(Eigen::MatrixXcd(right.asDiagonal()));
}

}  // namespace hyb
