#include "core/transfer/servo_hydraulic.h"

#include <cmath>

#include "core/base/json.h"

namespace hyb {
namespace {

class ServoHydraulic final : public ActuatorModel {
 public:
  explicit ServoHydraulic(const HydraulicParams& params) : params_(params) {}
  std::string description(const std::string& /*delay*/) const override { return "servo-hydraulic"; }
  void check(Checks& checks, double /*delay_s*/, double /*step_s*/) const override {
    checks.positive("/a1b0", params_.a1b0, "N/(m s3)");
    checks.positive("/b2", params_.b2, "1/s2");
    checks.notNegative("/a2", params_.a2, "N/m");
    checks.notNegative("/a3", params_.a3, "1/s");
    checks.notNegative("/b1", params_.b1, "1/s");
    checks.notNegative("/piston_mass_kg", params_.piston_mass_kg, "kg");
    checks.notNegative("/piston_damping_n_s_per_m", params_.piston_damping_n_s_per_m, "N s/m");
    checks.notNegative("/piston_stiffness_n_per_m", params_.piston_stiffness_n_per_m, "N/m");
  }
  // Own states [q, q', f].
  ActuatorBlock block(double gain, double step_s) const override {
    const HydraulicParams& p = params_;
    ActuatorBlock block;
    block.drives = ActuatorBlock::Drives::force;
    block.law.resize(6);
    block.law << 0.0 - p.piston_stiffness_n_per_m, 0.0 - p.piston_damping_n_s_per_m, 0.0, 0.0, 0.0, 1.0;
    block.own.resize(3, 6);
    block.own << 0.0, 0.0, 0.0, 0.0, 1.0, 0.0,           //
        -p.a1b0, 0.0, p.a1b0 * gain, -p.b2, -p.b1, 0.0,  //
        0.0, -p.a2, 0.0, 1.0, 0.0, -p.a3;
    const double force = p.a1b0 * std::pow(step_s, 3);
    block.own_sizes = Eigen::Vector3d(force / step_s, force / (step_s * step_s), force);
    block.moving_mass_kg = p.piston_mass_kg;
    block.inertia_at_tick = true;
    return block;
  }
  std::unique_ptr<ActuatorDrive> drive(double /*gain*/, double delay_s, double step_s) const override {
    return makeLateCommand(delay_s, step_s);
  }
  // V ((s + a3) (P x + f) + a2 s x) + a1b0 x = a1b0 gain u, V = s^2 + b1 s + b2, P = m s^2 + cp s + kp; divided by
  // a1b0.
  ActuatorTransfer transfer() const override {
    const HydraulicParams& p = params_;
    std::vector<double> valve{p.b2, p.b1, 1.0};
    for (double& coefficient : valve) coefficient *= 1.0 / p.a1b0;
    ActuatorTransfer transfer;
    transfer.load = product(valve, {p.a3, 1.0});
    std::vector<double> motion =
        product({p.a3, 1.0}, {p.piston_stiffness_n_per_m, p.piston_damping_n_s_per_m, p.piston_mass_kg});
    motion[1] += p.a2;
    transfer.denominator = product(valve, motion);
    transfer.denominator[0] += 1.0;
    while (transfer.denominator.back() == 0.0) transfer.denominator.pop_back();
    return transfer;
  }
  std::string lagName() const override { return "servo-hydraulic actuator"; }

 private:
  HydraulicParams params_;
};

}  // namespace

ActuatorModelPtr servoHydraulic(const HydraulicParams& params) {
  return std::make_shared<const ServoHydraulic>(params);
}

ActuatorSpec parseServoHydraulic(const Json& settings) {
  HydraulicParams params;
  read(settings, "a1b0", params.a1b0);
  read(settings, "a2", params.a2);
  read(settings, "a3", params.a3);
  read(settings, "b1", params.b1);
  read(settings, "b2", params.b2);
  read(settings, "piston_mass_kg", params.piston_mass_kg);
  read(settings, "piston_damping_n_s_per_m", params.piston_damping_n_s_per_m);
  read(settings, "piston_stiffness_n_per_m", params.piston_stiffness_n_per_m);
  return {.model = servoHydraulic(params)};
}

}  // namespace hyb
