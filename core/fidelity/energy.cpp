#include "core/fidelity/energy.h"

#include <algorithm>
#include <cmath>

#include "core/base/numbers.h"
#include "core/fidelity/record.h"

namespace hyb {

double passivityGain(double force_n, double measured_rate_m_per_s, double target_rate_m_per_s) noexcept {
  const double speed = std::abs(target_rate_m_per_s);
  return speed > 0.0 ? std::abs(force_n) * (std::abs(measured_rate_m_per_s) + speed) / (speed * speed) : kNoValue;
}

double largestStrainEnergy(const std::vector<std::span<const double>>& motion_m, const Eigen::MatrixXd& stiffness) {
  const auto count = static_cast<Eigen::Index>(motion_m.size());
  if (count == 0 || stiffness.rows() != count || stiffness.cols() != count) return kNoValue;
  for (const std::span<const double> one : motion_m)
    if (!comparable(one, motion_m.front())) return kNoValue;
  double largest_j = 0.0;
  Eigen::VectorXd z(count), force(count);
  for (std::size_t k = 0; k < motion_m.front().size(); ++k) {
    for (Eigen::Index i = 0; i < count; ++i) z[i] = motion_m[static_cast<std::size_t>(i)][k];
    force.noalias() = stiffness * z;
    largest_j = std::max(largest_j, 0.5 * z.dot(force));
  }
  return largest_j;
}

double hsemStrain(double error_j, double strain_j) noexcept { return hsemInput(error_j, strain_j, 0.0); }

double hsemInput(double error_j, double strain_j, double input_j) noexcept {
  const double whole_j = strain_j + input_j;
  return whole_j > 0.0 ? error_j / whole_j : kNoValue;
}

}  // namespace hyb
