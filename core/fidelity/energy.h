#pragma once
#include <Eigen/Core>
#include <span>
#include <vector>

namespace hyb {

// Power and energy at the interface. Insam 2022, sections 5.2 and 10.3.2 (note D0.3, D5.1, D9.3). SI: N, m, m/s, W, J.
// Forces here are the restoring forces of the specimen as in the source: a spring has F_m = +k z'. A run file's
// force_<i> acts on the numerical part and has the opposite sign: F_m = -force_<i>.
// Error power and energy are positive if the transfer system *adds* energy to the coupled system. Records must be
// equally long; otherwise, or if a sample is not a number, the figure is NaN.

/// The gain of passivity control, kg/s, that removes as much power as a transfer system adds (Insam 2022, equation
/// 5.11): |F (x' + z')| / z'^2 of the largest expected force, N, and rates, m/s. NaN: the target is constant.
double passivityGain(double force_n, double measured_rate_m_per_s, double target_rate_m_per_s) noexcept;

/// Largest strain energy of the specimen, max over time of (1/2) z' K_exp z, from the motion z(t) of each interface DOF
/// and the stiffness [i, i] of the specimen. One DOF: (1/2) K z_max^2, as in the source; with more, the largest
/// deflections may occur at different times. NaN: sizes or lengths differ.
double largestStrainEnergy(const std::vector<std::span<const double>>& motion_m, const Eigen::MatrixXd& stiffness);

/// Hybrid simulation error monitors E_error / E_strain and E_error / (E_strain + E_input). NaN if the denominator is
/// not positive.
/// not positive.
double hsemStrain(double error_j, double strain_j) noexcept;
double hsemInput(double error_j, double strain_j, double input_j) noexcept;

}  // namespace hyb
