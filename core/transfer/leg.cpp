#include "core/transfer/leg.h"

#include <Eigen/LU>
#include <cmath>

#include "core/linalg/eigen.h"

namespace hyb {
namespace {

/// The sampled leg, state [x, v, integral]: next = a state + from_position r + from_velocity (rate of r).
struct SampledLeg {
  Eigen::Matrix3d a;
  Eigen::Vector3d from_position, from_velocity;
};
SampledLeg sampled(const LegParams& leg, double step_s) {
  const double p = leg.plant_pole_per_s, decayed = -std::expm1(-p * step_s);
  // Exact over the tick for a held current.
  const double to_v = leg.plant_gain_m_per_a_s2 / p * decayed;
  const double to_x = leg.plant_gain_m_per_a_s2 / p * (step_s - decayed / p);
  const double integrates = leg.integral_gain_a_per_m * step_s, acts = leg.velocity_gain_a_s_per_m + integrates;
  const Eigen::Vector3d from_error(to_x * acts, to_v * acts, integrates);  // of the velocity
  SampledLeg result;
  result.a << 1.0, decayed / p, to_x, 0.0, 1.0 - decayed, to_v, 0.0, 0.0, 1.0;
  result.a.col(0) -= leg.position_gain_per_s * from_error;
  result.a.col(1) -= from_error;
  result.from_position = leg.position_gain_per_s * from_error;
  result.from_velocity = leg.velocity_feedforward ? from_error : Eigen::Vector3d::Zero().eval();
  return result;
}

}  // namespace

double LegController::current(double wanted_m, double x_m, double v_mps) noexcept {
  double wanted_mps = params_.position_gain_per_s * (wanted_m - x_m);
  if (params_.velocity_feedforward) wanted_mps += (wanted_m - state_.wanted_m) / step_s_;
  state_.wanted_m = wanted_m;
  const double missing_mps = wanted_mps - v_mps;
  last_integral_a_ = state_.integral_a;
  state_.integral_a += params_.integral_gain_a_per_m * missing_mps * step_s_;
  return params_.velocity_gain_a_s_per_m * missing_mps + state_.integral_a;
}

std::complex<double> legResponse(const LegParams& leg, std::complex<double> s) {
  // Multiplied out by s^2 (s + p), so that s = 0 gives 1.
  const std::complex<double> acts =
      leg.plant_gain_m_per_a_s2 * (leg.velocity_gain_a_s_per_m * s + leg.integral_gain_a_per_m);
  const std::complex<double> ahead = leg.position_gain_per_s + (leg.velocity_feedforward ? s : 0.0);
  return acts * ahead / (s * s * (s + leg.plant_pole_per_s) + acts * (s + leg.position_gain_per_s));
}

std::complex<double> sampledLegResponse(const LegParams& leg, double step_s, double w_rad_per_s) {
  const SampledLeg system = sampled(leg, step_s);
  const std::complex<double> z = std::polar(1.0, w_rad_per_s * step_s);
  const Eigen::Vector3cd input = system.from_position + (1.0 - 1.0 / z) / step_s * system.from_velocity;
  const Eigen::Matrix3cd resolvent = z * Eigen::Matrix3cd::Identity() - system.a;
  return resolvent.partialPivLu().solve(input)[0];
}

double legSpectralRadius(const LegParams& leg, double step_s) {
  return linalg::eigenvalues(Eigen::MatrixXd(sampled(leg, step_s).a)).cwiseAbs().maxCoeff();
}

}  // namespace hyb
