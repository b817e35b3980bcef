#include "core/transfer/command_response.h"

#include <limits>
#include <utility>
#include <vector>

#include "core/linalg/dense.h"
#include "core/structure/reduction.h"
#include "core/transfer/actuator_transfer.h"
#include "core/transfer/compliance_spring.h"

namespace hyb {

// Row by row: d x + l (D_P + F s^2 + G) x = n e^{-s delay} u, F and G mass and stiffness of the fixture; a
// cross-coupled actuator j adds d cross_j / d_j e^{-s delay_j} u_j to the right side.
Eigen::MatrixXcd commandResponse(const Partition& cut, const TwinParams& params, std::complex<double> s) {
  const Partition partition = behindSprings(cut, params);
  const auto count = static_cast<Eigen::Index>(partition.interface.size());
  Eigen::MatrixXcd left = Eigen::MatrixXcd::Zero(count, count), specimen;
  Eigen::MatrixXcd right = Eigen::MatrixXcd::Zero(count, count);
  std::vector<std::complex<double>> denominators;
  for (Eigen::Index i = 0; i < count; ++i) {
    const ActuatorSpec& actuator = params.actuators[params.actuators.size() == 1 ? 0 : static_cast<std::size_t>(i)];
    const ActuatorTransfer transfer = transferOf(actuator);
    const std::complex<double> late = std::exp(-s * actuator.delay_s);
    denominators.push_back(evaluate(transfer.denominator, s).value);
    right(i, i) = evaluate(transfer.numerator, s).value * late;
    for (const ActuatorTransfer::Cross& cross : transfer.cross)
      right(static_cast<Eigen::Index>(cross.axis), i) = evaluate(cross.numerator, s).value * late / denominators.back();
    if (!transfer.load.empty()) {
      if (specimen.size() == 0) {
        specimen = condensedStiffness(partition.physical, partition.interface_in_physical, s);
        if (params.fixture.mass_kg.size() > 0) specimen += params.fixture.mass_kg * s * s;
        if (params.fixture.stiffness_n_per_m.size() > 0)
          specimen += params.fixture.stiffness_n_per_m.cast<std::complex<double>>();
      }
      left.row(i) = evaluate(transfer.load, s).value * specimen.row(i);
    }
    left(i, i) += denominators.back();
  }
  for (Eigen::Index k = 0; k < count; ++k)
    for (Eigen::Index j = 0; j < count; ++j)
      if (j != k) right(k, j) *= denominators[static_cast<std::size_t>(k)];
  return linalg::ComplexLu(left).solve(right);
}

TwinParams linearised(TwinParams params) {
  params.laws.clear();
  params.fixture.load_cell_beneath = params.fixture.isRead();
  constexpr double unlimited = std::numeric_limits<double>::infinity();
  for (ActuatorSpec& actuator : params.actuators) {
    if (ActuatorModelPtr small = actuator.model->linearised()) actuator.model = std::move(small);
    actuator.stroke_m = actuator.velocity_limit_m_per_s = actuator.force_limit_n = unlimited;
  }
  return params;
}

Partition withSpecimen(Partition partition, const SpecimenParams& factors) {
  partition.physical.m *= factors.mass_factor;
  partition.physical.c *= factors.damping_factor;
  partition.physical.k *= factors.stiffness_factor;
  return partition;
}

}  // namespace hyb
