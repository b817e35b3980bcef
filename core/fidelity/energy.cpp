#include "core/fidelity/energy.h"

#include <algorithm>
#include <cmath>

#include "core/fidelity/record.h"

namespace hyb {

namespace {

constexpr double kAcceptableHsem = 0.05;

}  // namespace

EnergyBook energyBook(std::span<const double> force_int, std::span<const double> velocity,
                      std::span<const double> force_measured, std::span<const double> velocity_achieved,
                      double step_s) {
  if (!comparable(force_int, velocity) || !comparable(force_measured, velocity_achieved) ||
      force_int.size() != force_measured.size())
    return {kNoFigure, kNoFigure, kNoFigure, kNoFigure, kNoFigure, kNoFigure};
  EnergyBook book{};
  for (std::size_t k = 0; k < velocity.size(); ++k) {
    const InterfacePower power = interfacePower(force_int[k], velocity[k], force_measured[k], velocity_achieved[k]);
    const double error_j = power.error_w() * step_s;
    book.numerical_j += power.numerical_w * step_s;
    book.experimental_j += power.experimental_w * step_s;
    book.added_j += std::max(error_j, 0.0);
    book.dissipated_j += std::max(-error_j, 0.0);
    if (error_j > 0.0) book.active_share += 1.0 / static_cast<double>(velocity.size());
  }
  book.error_j = book.added_j - book.dissipated_j;
  return book;
}

double dissipatedEnergy(std::span<const double> damping_force, std::span<const double> velocity, double step_s) {
  if (!comparable(damping_force, velocity)) return kNoFigure;
  double energy_j = 0.0;
  for (std::size_t k = 0; k < velocity.size(); ++k) energy_j += damping_force[k] * velocity[k] * step_s;
  return energy_j;
}

double passivityGain(double force_n, double measured_rate_m_per_s, double target_rate_m_per_s) noexcept {
  const double speed = std::abs(target_rate_m_per_s);
  return speed > 0.0 ? std::abs(force_n) * (std::abs(measured_rate_m_per_s) + speed) / (speed * speed) : kNoFigure;
}

void runningEnergyError(std::span<const double> force_measured, std::span<const double> command,
                        std::span<const double> achieved, std::span<double> out) noexcept {
  if (force_measured.size() != out.size() || command.size() != out.size() || achieved.size() != out.size()) {
    std::fill(out.begin(), out.end(), kNoFigure);
    return;
  }
  double energy_j = 0.0;
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (k > 0)
      energy_j += 0.5 * (force_measured[k] + force_measured[k - 1]) *
                  ((achieved[k] - command[k]) - (achieved[k - 1] - command[k - 1]));
    out[k] = energy_j;
  }
}

double largestStrainEnergy(const std::vector<std::span<const double>>& motion_m, const Eigen::MatrixXd& stiffness) {
  const auto count = static_cast<Eigen::Index>(motion_m.size());
  if (count == 0 || stiffness.rows() != count || stiffness.cols() != count) return kNoFigure;
  for (const std::span<const double> one : motion_m)
    if (!comparable(one, motion_m.front())) return kNoFigure;
  double largest_j = 0.0;
  Eigen::VectorXd z(count), force(count);
  for (std::size_t k = 0; k < motion_m.front().size(); ++k) {
    for (Eigen::Index i = 0; i < count; ++i) z[i] = motion_m[static_cast<std::size_t>(i)][k];
    force.noalias() = stiffness * z;
    largest_j = std::max(largest_j, 0.5 * z.dot(force));
  }
  return largest_j;
}

double inputEnergy(std::span<const double> external_force, std::span<const double> displacement) {
  if (!comparable(external_force, displacement)) return kNoFigure;
  double energy_j = 0.0;
  for (std::size_t k = 1; k < displacement.size(); ++k)
    energy_j += 0.5 * (external_force[k] + external_force[k - 1]) * (displacement[k] - displacement[k - 1]);
  return energy_j;
}

double hsemStrain(double error_j, double strain_j) noexcept { return hsemInput(error_j, strain_j, 0.0); }

double hsemInput(double error_j, double strain_j, double input_j) noexcept {
  const double whole_j = strain_j + input_j;
  return whole_j > 0.0 ? error_j / whole_j : kNoFigure;
}

bool hsemAcceptable(double hsem_strain) noexcept { return std::abs(hsem_strain) <= kAcceptableHsem; }

}  // namespace hyb
