#include "core/transfer/voice_coil.h"

#include <algorithm>
#include <cmath>

#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/linalg/dense.h"
#include "core/linalg/eigen.h"
#include "core/transfer/suspension.h"

namespace hyb {
namespace {

/// Stiffness of the suspension at rest.
double stiffnessAtRest(const VoiceCoilParams& p) {
  return p.stiffness_n_per_m + suspensionStiffness(p.cubic_n_per_m3, p.offset_m);
}

class VoiceCoilDrive final : public ActuatorDrive {
 public:
  VoiceCoilDrive(const VoiceCoilParams& params, double gain, double delay_s, double step_s)
      : ActuatorDrive(delay_s, step_s), params_(params), gain_(gain) {}
  bool controls() const noexcept override { return true; }
  double control(double command, double x_m, double v_mps, double step_s) noexcept override {
    const double missing_m = gain_ * command - x_m;
    last_integral_v_ = integral_v_;
    integral_v_ += params_.integral_gain_v_per_m_s * missing_m * step_s;
    const double wanted_v =
        params_.position_gain_v_per_m * missing_m + integral_v_ - params_.velocity_gain_v_s_per_m * v_mps;
    const double given_v = std::clamp(wanted_v, -params_.voltage_limit_v, params_.voltage_limit_v);
    cut_off_ = given_v != wanted_v;
    if (cut_off_ && missing_m * wanted_v > 0.0) integral_v_ = last_integral_v_;
    return given_v;
  }
  bool cutOff() const noexcept override { return cut_off_; }
  void held() noexcept override { integral_v_ = last_integral_v_; }
  void reset() noexcept override {
    ActuatorDrive::reset();
    integral_v_ = last_integral_v_ = 0.0;
    cut_off_ = false;
  }
  std::vector<double> state() const override {
    std::vector<double> all = ActuatorDrive::state();
    all.push_back(integral_v_);
    return all;
  }
  void setState(std::span<const double> state) override {
    ActuatorDrive::setState(state.first(state.size() - 1));
    integral_v_ = last_integral_v_ = state.back();
  }

 private:
  TickInputs inputs(double /*x_m*/, double /*v_mps*/) noexcept override {
    return {commands().at(delay().ticks + 1).position, commands().at(delay().ticks).position};
  }

  VoiceCoilParams params_;
  double gain_;
  double integral_v_ = 0.0, last_integral_v_ = 0.0;
  bool cut_off_ = false;
};

class VoiceCoil final : public ActuatorModel {
 public:
  explicit VoiceCoil(const VoiceCoilParams& params) : params_(params) {}
  std::string description(const std::string& delay) const override {
    return "voice coil of " + Checks::text(params_.moving_mass_kg, "kg") + " behind " + delay;
  }
  void check(Checks& checks, double /*delay_s*/, double step_s) const override {
    const VoiceCoilParams& p = params_;
    bool good = checks.positive("/moving_mass_kg", p.moving_mass_kg, "kg");
    good = checks.notNegative("/stiffness_n_per_m", p.stiffness_n_per_m, "N/m") && good;
    good = checks.notNegative("/damping_n_s_per_m", p.damping_n_s_per_m, "N s/m") && good;
    good = checks.positive("/force_constant_n_per_a", p.force_constant_n_per_a, "N/A") && good;
    good = checks.positive("/resistance_ohm", p.resistance_ohm, "ohm") && good;
    good = checks.positive("/inductance_h", p.inductance_h, "H") && good;
    good = checks.positive("/position_gain_v_per_m", p.position_gain_v_per_m, "V/m") && good;
    good = checks.notNegative("/integral_gain_v_per_m_s", p.integral_gain_v_per_m_s, "V/(m s)") && good;
    good = checks.notNegative("/velocity_gain_v_s_per_m", p.velocity_gain_v_s_per_m, "V s/m") && good;
    Checks of_suspension;
    checkSuspension(of_suspension, p.cubic_n_per_m3, p.offset_m);
    checks.take(of_suspension, "");
    if (!(p.voltage_limit_v > 0.0))
      checks.fault("/voltage_limit_v", p.voltage_limit_v, "V",
                   "a limit must be greater than 0; leave it out for no limit");
    if (!good || !(p.cubic_n_per_m3 >= 0.0) || !std::isfinite(p.cubic_n_per_m3 * p.offset_m)) return;
    const double shortest_h = 0.01 * step_s * p.resistance_ohm;  // below, its exponential loses precision
    if (p.inductance_h < shortest_h)
      checks.fault("/inductance_h", p.inductance_h, "H",
                   "makes the current too fast for a tick of " + Checks::text(step_s, "s") + "; give at least " +
                       Checks::text(shortest_h, "H") + ", or raise /loop/rate_hz");
    else if (const double radius = spectralRadius(step_s / kTickParts); !(radius < 1.0))
      checks.fault("/position_gain_v_per_m", p.position_gain_v_per_m, "V/m",
                   "makes the coil unstable with its other gains; lower it or integral_gain_v_per_m_s, raise "
                   "velocity_gain_v_s_per_m, or raise /loop/rate_hz");
  }
  // Own state: the current.
  ActuatorBlock block(double /*gain*/, double step_s) const override {
    const VoiceCoilParams& p = params_;
    ActuatorBlock block;
    block.drives = ActuatorBlock::Drives::force;
    block.law = Eigen::RowVector4d(-p.stiffness_n_per_m, -p.damping_n_s_per_m, 0.0, p.force_constant_n_per_a);
    block.own =
        Eigen::RowVector4d(0.0, -backEmf() / p.inductance_h, 1.0 / p.inductance_h, -p.resistance_ohm / p.inductance_h);
    block.own_sizes = Eigen::VectorXd::Constant(1, p.moving_mass_kg / (p.force_constant_n_per_a * step_s * step_s));
    block.moving_mass_kg = p.moving_mass_kg;
    block.inertia_at_tick = true;
    return block;
  }
  std::unique_ptr<ActuatorDrive> drive(double gain, double delay_s, double step_s) const override {
    return std::make_unique<VoiceCoilDrive>(params_, gain, delay_s, step_s);
  }
  SpecimenLawPtr law() const override { return suspension(params_.cubic_n_per_m3, params_.offset_m); }
  ActuatorModelPtr linearised() const override {
    VoiceCoilParams linear = params_;
    linear.stiffness_n_per_m = stiffnessAtRest(params_);
    linear.cubic_n_per_m3 = linear.offset_m = 0.0;
    linear.voltage_limit_v = std::numeric_limits<double>::infinity();
    return voiceCoil(linear);
  }
  std::vector<ActuatorSignal> signals() const override {
    return {{"voltage", "V", "voltage of the controller at the coil", ActuatorSignal::kInput},
            {"current", "A", "current through the coil", 0}};
  }
  // s ((m s^2 + c s + k) (L s + R) + B Kf s) x + Kf (Kd s^2 + Kp s + Ki) x = Kf (Kp s + Ki) gain u - s (L s + R) f,
  // B: induction by motion.
  ActuatorTransfer transfer() const override {
    const VoiceCoilParams& p = params_;
    const double kf = p.force_constant_n_per_a;
    std::vector<double> coil{p.resistance_ohm, p.inductance_h};
    std::vector<double> whole = product({stiffnessAtRest(p), p.damping_n_s_per_m, p.moving_mass_kg}, coil);
    whole[1] += backEmf() * kf + kf * p.velocity_gain_v_s_per_m;
    whole[0] += kf * p.position_gain_v_per_m;
    std::vector<double> asked{kf * p.position_gain_v_per_m};
    if (p.integral_gain_v_per_m_s > 0.0) {  // otherwise s is a common factor
      whole.insert(whole.begin(), kf * p.integral_gain_v_per_m_s);
      asked.insert(asked.begin(), kf * p.integral_gain_v_per_m_s);
      coil.insert(coil.begin(), 0.0);
    }
    const double scale = whole[0];
    for (std::vector<double>* polynomial : {&asked, &whole, &coil})
      for (double& coefficient : *polynomial) coefficient /= scale;
    return {asked, whole, coil};
  }
  std::string lagName() const override { return "voice coil and its controller"; }

 private:
  /// Voltage induced by the coil's motion, V s/m.
  double backEmf() const noexcept { return params_.current_amplifier ? 0.0 : params_.force_constant_n_per_a; }

  /// Spectral radius of the coil with only its controller, between the controller's instants: stable below 1.
  double spectralRadius(double step_s) const {
    const VoiceCoilParams& p = params_;
    Eigen::MatrixXd rates = Eigen::MatrixXd::Zero(4, 4);  // [x, v, i, V]
    rates(0, 1) = 1.0;
    rates.row(1) << -stiffnessAtRest(p) / p.moving_mass_kg, -p.damping_n_s_per_m / p.moving_mass_kg,
        p.force_constant_n_per_a / p.moving_mass_kg, 0.0;
    rates.row(2) << 0.0, -backEmf() / p.inductance_h, -p.resistance_ohm / p.inductance_h, 1.0 / p.inductance_h;
    const Eigen::MatrixXd over = linalg::exponential(Eigen::MatrixXd(rates * step_s));
    Eigen::MatrixXd next = Eigen::MatrixXd::Zero(4, 4);  // [x, v, i, integral]
    next.topRows(3) = over.topRows(3);
    const double integrates = p.integral_gain_v_per_m_s * step_s;
    next.block(0, 0, 3, 1) -= over.block(0, 3, 3, 1) * (p.position_gain_v_per_m + integrates);
    next.block(0, 1, 3, 1) -= over.block(0, 3, 3, 1) * p.velocity_gain_v_s_per_m;
    next(3, 0) = -integrates;
    next(3, 3) = p.integral_gain_v_per_m_s > 0.0 ? 1.0 : 0.0;
    if (!next.allFinite()) return std::numeric_limits<double>::infinity();
    return linalg::eigenvalues(next).cwiseAbs().maxCoeff();
  }

  VoiceCoilParams params_;
};

}  // namespace

ActuatorModelPtr voiceCoil(const VoiceCoilParams& params) { return std::make_shared<const VoiceCoil>(params); }

ActuatorSpec parseVoiceCoil(const Json& settings) {
  VoiceCoilParams params;
  read(settings, "moving_mass_kg", params.moving_mass_kg);
  read(settings, "stiffness_n_per_m", params.stiffness_n_per_m);
  read(settings, "cubic_n_per_m3", params.cubic_n_per_m3);
  read(settings, "offset_m", params.offset_m);
  read(settings, "damping_n_s_per_m", params.damping_n_s_per_m);
  read(settings, "force_constant_n_per_a", params.force_constant_n_per_a);
  read(settings, "resistance_ohm", params.resistance_ohm);
  read(settings, "inductance_h", params.inductance_h);
  params.current_amplifier = text(settings, "amplifier") == "current";
  read(settings, "position_gain_v_per_m", params.position_gain_v_per_m);
  read(settings, "integral_gain_v_per_m_s", params.integral_gain_v_per_m_s);
  read(settings, "velocity_gain_v_s_per_m", params.velocity_gain_v_s_per_m);
  read(settings, "voltage_limit_v", params.voltage_limit_v);
  return {.model = voiceCoil(params)};
}

}  // namespace hyb
