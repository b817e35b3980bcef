#pragma once
#include <Eigen/Core>
#include <span>
#include <vector>

namespace hyb {

// Power and energy at the interface. Insam 2022, sections 5.2 and 10.3.2 (note D0.3, D5.1, D9.3). SI: N, m, m/s, W, J.
// Forces here are the restoring forces of the specimen as the source writes them: a spring gives F_m = +k z'. A run
// file's force_<i> acts on the numerical part and has the opposite sign: F_m = -force_<i>.
// Error power and energy are positive where the transfer system *adds* energy to the coupled system. Records are
// equally long; else, or where a sample is not a number, the figure is NaN.

/// One interface at one instant.
struct InterfacePower {
  double numerical_w;     // F_int dz: from the numerical part to the transfer system
  double experimental_w;  // F_m' dz': from the transfer system to the specimen
  double error_w() const noexcept { return experimental_w - numerical_w; }
  double throughput_w() const noexcept { return experimental_w + numerical_w; }
};
inline InterfacePower interfacePower(double force_int, double velocity, double force_measured,
                                     double velocity_achieved) noexcept {
  return {force_int * velocity, force_measured * velocity_achieved};
}

/// Sums of the powers times the step over a record.
struct EnergyBook {
  double numerical_j, experimental_j;
  double error_j;       // E_error: phases that cancel leave little of it
  double added_j;       // over the active phases only (error power > 0)
  double dissipated_j;  // over the passive ones, >= 0; error_j = added_j - dissipated_j
  double active_share;  // of the samples
};
EnergyBook energyBook(std::span<const double> force_int, std::span<const double> velocity,
                      std::span<const double> force_measured, std::span<const double> velocity_achieved, double step_s);

/// What a passivity controller's force F_d takes out, sum of F_d dz step.
double dissipatedEnergy(std::span<const double> damping_force, std::span<const double> velocity, double step_s);

/// The gain of passivity control, kg/s, that takes out as much power as a transfer system brings in (Insam 2022,
/// equation 5.11): |F (x' + z')| / z'^2 of the largest force, N, and rates, m/s, expected. NaN: the target does not
/// move.
double passivityGain(double force_n, double measured_rate_m_per_s, double target_rate_m_per_s) noexcept;

/// The error energy so far from displacements, (trapezoidal) integral of F_m d(z' - z), into out[k]: what the safety
/// chain sums. Allocation-free; `out` is filled with NaN if lengths differ.
void runningEnergyError(std::span<const double> force_measured, std::span<const double> command,
                        std::span<const double> achieved, std::span<double> out) noexcept;

/// Strain energy of the specimen at its largest, max over time of (1/2) z' K_exp z, from the motion z(t) of each
/// interface DOF and the stiffness [i, i] of the specimen. One DOF: (1/2) K z_max^2, as the source writes it; with more
/// the largest deflections of each need not come together. NaN: sizes or lengths differ.
double largestStrainEnergy(const std::vector<std::span<const double>>& motion_m, const Eigen::MatrixXd& stiffness);
/// Integral of F_ext dz, trapezoidal.
double inputEnergy(std::span<const double> external_force, std::span<const double> displacement);

/// Hybrid simulation error monitors E_error / E_strain and E_error / (E_strain + E_input). NaN where the denominator is
/// not positive.
double hsemStrain(double error_j, double strain_j) noexcept;
double hsemInput(double error_j, double strain_j, double input_j) noexcept;
/// The source's rule of thumb for the strain monitor, |HSEM| <= 0.05; false for NaN. Energy taken out distorts a test
/// as energy added does, so the magnitude counts.
bool hsemAcceptable(double hsem_strain) noexcept;

}  // namespace hyb
