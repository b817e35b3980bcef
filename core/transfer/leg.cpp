#include "core/transfer/leg.h"

#include <Eigen/LU>
#include <cmath>

#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/linalg/eigen.h"
#include "core/transfer/velocity_loop.h"

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
  const Eigen::Vector3d from_error(to_x * acts, to_v * acts, integrates);  // from the velocity error
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
  // Multiplied by s^2 (s + p), so that s = 0 gives 1.
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

namespace {

class LegDrive final : public ActuatorDrive {
 public:
  LegDrive(const LegParams& params, double gain, double delay_s, double step_s)
      : ActuatorDrive(delay_s, step_s), gain_(gain), controller_(params, step_s) {}
  double switchesAt() const noexcept override { return 0.0; }  // its controller acts only at the start of the tick
  void held() noexcept override { controller_.holdIntegral(); }
  void reset() noexcept override {
    ActuatorDrive::reset();
    controller_.setState({});
  }
  std::vector<double> state() const override {
    std::vector<double> all = ActuatorDrive::state();
    all.insert(all.end(), {controller_.state().integral_a, controller_.state().wanted_m});
    return all;
  }
  void setState(std::span<const double> state) override {
    ActuatorDrive::setState(state.first(state.size() - 2));
    controller_.setState({state[state.size() - 2], state[state.size() - 1]});
  }

 private:
  TickInputs inputs(double x_m, double v_mps) noexcept override {
    const double current_a = controller_.current(gain_ * commands().at(delay()).position, x_m, v_mps);
    return {current_a, current_a};
  }

  double gain_;
  LegController controller_;
};

class Leg final : public ActuatorModel, public VelocityLoop {
 public:
  explicit Leg(const LegParams& params) : params_(params) {}
  std::string description(const std::string& delay) const override {
    return std::string("leg") + (params_.velocity_feedforward ? " with velocity feed-forward" : "") + " behind " +
           delay;
  }
  void check(Checks& checks, double /*delay_s*/, double step_s) const override {
    bool good = checks.positive("/plant_gain_m_per_a_s2", params_.plant_gain_m_per_a_s2, "m/(A s2)");
    good = checks.positive("/plant_pole_per_s", params_.plant_pole_per_s, "1/s") && good;
    good = checks.positive("/position_gain_per_s", params_.position_gain_per_s, "1/s") && good;
    good = checks.positive("/velocity_gain_a_s_per_m", params_.velocity_gain_a_s_per_m, "A s/m") && good;
    good = checks.notNegative("/integral_gain_a_per_m", params_.integral_gain_a_per_m, "A/m") && good;
    if (good && !(legSpectralRadius(params_, step_s) < 1.0))
      checks.fault("/position_gain_per_s", params_.position_gain_per_s, "1/s",
                   "makes the leg unstable with its other gains at a tick of " + Checks::text(step_s, "s") +
                       "; lower it or velocity_gain_a_s_per_m, or raise /loop/rate_hz");
  }
  ActuatorBlock block(double /*gain*/, double /*step_s*/) const override {
    ActuatorBlock block;
    block.drives = ActuatorBlock::Drives::acceleration;
    block.law = Eigen::RowVector3d(0.0, -params_.plant_pole_per_s, params_.plant_gain_m_per_a_s2);
    return block;
  }
  std::unique_ptr<ActuatorDrive> drive(double gain, double delay_s, double step_s) const override {
    return std::make_unique<LegDrive>(params_, gain, delay_s, step_s);
  }
  // n/d = acts (Kp + s) / (s^2 (s + p) + acts (s + Kp)), acts = A (kv s + ki), the s in the numerator only with
  // velocity feed-forward.
  ActuatorTransfer transfer() const override {
    const double a = params_.plant_gain_m_per_a_s2, kp = params_.position_gain_per_s;
    const std::vector<double> acts{a * params_.integral_gain_a_per_m, a * params_.velocity_gain_a_s_per_m};
    ActuatorTransfer transfer{product(acts, {kp, params_.velocity_feedforward ? 1.0 : 0.0}), product(acts, {kp, 1.0})};
    transfer.denominator[2] += params_.plant_pole_per_s;
    transfer.denominator.push_back(1.0);
    if (params_.integral_gain_a_per_m == 0.0) {  // both are 0 at s = 0
      transfer.numerator.erase(transfer.numerator.begin());
      transfer.denominator.erase(transfer.denominator.begin());
    }
    return transfer;
  }
  // Lag of its sampled controller relative to one in continuous time.
  DelayPart sampling(double tick_s, double frequency_hz) const override {
    const double w = kTwoPi * frequency_hz;
    return {lagName(), std::arg(legResponse(params_, {0.0, w}) / sampledLegResponse(params_, tick_s, w)) / w};
  }
  VelocityEntry velocityEntry() const noexcept override {
    return {params_.position_gain_per_s, params_.velocity_feedforward ? 1.0 : 0.0};
  }
  std::string lagName() const override { return "leg and its controller"; }

 private:
  LegParams params_;
};

}  // namespace

ActuatorModelPtr electricLeg(const LegParams& params) { return std::make_shared<const Leg>(params); }

LegParams readLeg(const Json& settings) {
  LegParams params;
  read(settings, "plant_gain_m_per_a_s2", params.plant_gain_m_per_a_s2);
  read(settings, "plant_pole_per_s", params.plant_pole_per_s);
  read(settings, "position_gain_per_s", params.position_gain_per_s);
  read(settings, "velocity_gain_a_s_per_m", params.velocity_gain_a_s_per_m);
  read(settings, "integral_gain_a_per_m", params.integral_gain_a_per_m);
  read(settings, "velocity_feedforward", params.velocity_feedforward);
  return params;
}

ActuatorSpec parseLeg(const Json& settings) { return {.model = electricLeg(readLeg(settings))}; }

}  // namespace hyb
