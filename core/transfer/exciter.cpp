#include "core/transfer/exciter.h"

#include "core/json.h"

namespace hyb {
namespace {

class Exciter final : public ActuatorModel {
 public:
  explicit Exciter(const ExciterParams& params) : params_(params) {}
  std::string description(const std::string& delay) const override {
    return "exciter of " + Checks::text(params_.moving_mass_kg, "kg") + " behind " + delay;
  }
  void check(Checks& checks, double /*delay_s*/, double /*step_s*/) const override {
    checks.notNegative("/moving_mass_kg", params_.moving_mass_kg, "kg");
    checks.notNegative("/stiffness_n_per_m", params_.stiffness_n_per_m, "N/m");
    checks.notNegative("/damping_n_s_per_m", params_.damping_n_s_per_m, "N s/m");
  }
  bool takesForce() const noexcept override { return true; }
  ActuatorBlock block(double gain, double /*step_s*/) const override {
    ActuatorBlock block;
    block.drives = ActuatorBlock::Drives::force;
    block.law = Eigen::RowVector3d(-params_.stiffness_n_per_m, -params_.damping_n_s_per_m, gain);
    block.moving_mass_kg = params_.moving_mass_kg;
    block.mass_setting = "/moving_mass_kg";
    block.inertia_at_tick = true;
    return block;
  }
  std::unique_ptr<ActuatorDrive> drive(double /*gain*/, double delay_s, double step_s) const override {
    return makeLateCommand(delay_s, step_s);
  }
  // (m s^2 + c s + k) x = gain u - f.
  ActuatorTransfer transfer() const override {
    ActuatorTransfer transfer;
    transfer.denominator = {params_.stiffness_n_per_m, params_.damping_n_s_per_m, params_.moving_mass_kg};
    while (transfer.denominator.size() > 1 && transfer.denominator.back() == 0.0) transfer.denominator.pop_back();
    transfer.load = {1.0};
    return transfer;
  }
  std::string lagName() const override { return "exciter"; }

 private:
  ExciterParams params_;
};

}  // namespace

ActuatorModelPtr exciter(const ExciterParams& params) { return std::make_shared<const Exciter>(params); }

ActuatorSpec parseExciter(const Json& settings) {
  ExciterParams params;
  read(settings, "moving_mass_kg", params.moving_mass_kg);
  read(settings, "stiffness_n_per_m", params.stiffness_n_per_m);
  read(settings, "damping_n_s_per_m", params.damping_n_s_per_m);
  return {.model = exciter(params)};
}

}  // namespace hyb
