#include "core/transfer/shaker.h"

#include "core/base/json.h"
#include "core/transfer/suspension.h"

namespace hyb {
namespace {

class Shaker final : public ActuatorModel {
 public:
  explicit Shaker(const ShakerParams& params) : params_(params) {}
  std::string description(const std::string& delay) const override {
    return "shaker of " + Checks::text(params_.moving_mass_kg, "kg") + " behind " + delay;
  }
  void check(Checks& checks, double /*delay_s*/, double /*step_s*/) const override {
    checks.notNegative("/moving_mass_kg", params_.moving_mass_kg, "kg");
    checks.notNegative("/stiffness_n_per_m", params_.stiffness_n_per_m, "N/m");
    checks.notNegative("/damping_n_s_per_m", params_.damping_n_s_per_m, "N s/m");
    checks.positive("/force_n_per_v", params_.force_n_per_v, "N/V");
    checkSuspension(checks, params_.cubic_n_per_m3, params_.offset_m);
  }
  bool takesForce() const noexcept override { return true; }
  SignalKind command(SignalKind /*motion*/) const noexcept override { return SignalKind::voltage; }
  ActuatorBlock block(double gain, double /*step_s*/) const override {
    ActuatorBlock block;
    block.drives = ActuatorBlock::Drives::force;
    block.law =
        Eigen::RowVector3d(-params_.stiffness_n_per_m, -params_.damping_n_s_per_m, gain * params_.force_n_per_v);
    block.moving_mass_kg = params_.moving_mass_kg;
    block.mass_setting = "/moving_mass_kg";
    block.inertia_at_tick = true;
    return block;
  }
  std::unique_ptr<ActuatorDrive> drive(double /*gain*/, double delay_s, double step_s) const override {
    return makeLateCommand(delay_s, step_s);
  }
  SpecimenLawPtr law() const override { return suspension(params_.cubic_n_per_m3, params_.offset_m); }
  ActuatorModelPtr linearised() const override {
    ShakerParams linear = params_;
    linear.stiffness_n_per_m += suspensionStiffness(params_.cubic_n_per_m3, params_.offset_m);
    linear.cubic_n_per_m3 = linear.offset_m = 0.0;
    return shaker(linear);
  }
  // (m s^2 + c s + k) x = Kv gain u - f.
  ActuatorTransfer transfer() const override {
    ActuatorTransfer transfer;
    transfer.numerator = {params_.force_n_per_v};
    transfer.denominator = {params_.stiffness_n_per_m + suspensionStiffness(params_.cubic_n_per_m3, params_.offset_m),
                            params_.damping_n_s_per_m, params_.moving_mass_kg};
    while (transfer.denominator.size() > 1 && transfer.denominator.back() == 0.0) transfer.denominator.pop_back();
    transfer.load = {1.0};
    return transfer;
  }
  std::string lagName() const override { return "shaker"; }

 private:
  ShakerParams params_;
};

}  // namespace

ActuatorModelPtr shaker(const ShakerParams& params) { return std::make_shared<const Shaker>(params); }

ActuatorSpec parseShaker(const Json& settings) {
  ShakerParams params;
  read(settings, "moving_mass_kg", params.moving_mass_kg);
  read(settings, "stiffness_n_per_m", params.stiffness_n_per_m);
  read(settings, "damping_n_s_per_m", params.damping_n_s_per_m);
  read(settings, "force_n_per_v", params.force_n_per_v);
  read(settings, "cubic_n_per_m3", params.cubic_n_per_m3);
  read(settings, "offset_m", params.offset_m);
  return {.model = shaker(params)};
}

}  // namespace hyb
