#include "core/transfer/compliance_spring.h"

#include <algorithm>

namespace hyb {

bool hasSprings(const TwinParams& params) noexcept {
  return std::any_of(params.actuators.begin(), params.actuators.end(),
                     [](const ActuatorSpec& actuator) { return actuator.spring.has_value(); });
}

Partition behindSprings(Partition partition, const TwinParams& params) {
  if (!hasSprings(params)) return partition;
  SystemMatrices& ps = partition.physical;
  for (std::size_t i = 0; i < partition.interface.size(); ++i) {
    const ActuatorSpec& actuator = params.actuators[params.actuators.size() == 1 ? 0 : i];
    if (!actuator.spring) continue;
    const double k = actuator.spring->stiffness_n_per_m;
    const Eigen::Index specimen = partition.interface_in_physical[i], piston = ps.size();
    ps.dofs.push_back({"piston " + std::to_string(i + 1), partition.interface[i].motion});
    for (SparseMatrix* matrix : {&ps.m, &ps.c, &ps.k}) matrix->conservativeResize(piston + 1, piston + 1);
    for (Eigen::MatrixXd* loads : {&ps.m_support, &ps.c_support, &ps.k_support}) {
      loads->conservativeResize(piston + 1, loads->cols());
      loads->row(piston).setZero();
    }
    ps.k.coeffRef(specimen, specimen) += k;
    ps.k.coeffRef(piston, piston) += k;
    ps.k.coeffRef(specimen, piston) -= k;
    ps.k.coeffRef(piston, specimen) -= k;
    partition.interface_in_physical[i] = piston;
  }
  return partition;
}

}  // namespace hyb
