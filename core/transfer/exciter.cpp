#include "core/transfer/exciter.h"

#include "core/base/json.h"

namespace hyb {
namespace {

class Exciter final : public ActuatorModel {
 public:
  explicit Exciter(const ExciterParams& params) : params_(params) {}
  std::string description(const std::string& delay) const override {
    return "exciter of " + Checks::text(params_.moving_mass_kg, "kg") + " behind " + delay;
  }
  void check(Checks& checks, double /*delay_s*/, double /*step_s*/) const override {
    if (params_.stinger_n_per_m > 0.0)
      checks.positive("/moving_mass_kg", params_.moving_mass_kg, "kg");
    else
      checks.notNegative("/moving_mass_kg", params_.moving_mass_kg, "kg");
    checks.notNegative("/stiffness_n_per_m", params_.stiffness_n_per_m, "N/m");
    checks.notNegative("/damping_n_s_per_m", params_.damping_n_s_per_m, "N s/m");
    checks.notNegative("/stinger_n_per_m", params_.stinger_n_per_m, "N/m");
    if (checks.notNegative("/stinger_n_s_per_m", params_.stinger_n_s_per_m, "N s/m") &&
        params_.stinger_n_s_per_m > 0.0 && params_.stinger_n_per_m == 0.0)
      checks.fault("/stinger_n_s_per_m", params_.stinger_n_s_per_m, "N s/m",
                   "applies only to a compliant stinger; give stinger_n_per_m, or remove this");
  }
  bool takesForce() const noexcept override { return true; }
  ActuatorBlock block(double gain, double step_s) const override {
    ActuatorBlock block;
    block.drives = ActuatorBlock::Drives::force;
    if (params_.stinger_n_per_m > 0.0) return stingerBlock(gain, step_s);
    block.law = Eigen::RowVector3d(-params_.stiffness_n_per_m, -params_.damping_n_s_per_m, gain);
    block.moving_mass_kg = params_.moving_mass_kg;
    block.mass_setting = "/moving_mass_kg";
    block.inertia_at_tick = true;
    return block;
  }
  std::unique_ptr<ActuatorDrive> drive(double /*gain*/, double delay_s, double step_s) const override {
    return makeLateCommand(delay_s, step_s);
  }
  // (m s^2 + c s + k) x = gain u - f; with a stinger S = ks + cs s, D = m s^2 + c s + k:
  // S D x = S gain u - (D + S) f.
  ActuatorTransfer transfer() const override {
    ActuatorTransfer transfer;
    transfer.denominator = {params_.stiffness_n_per_m, params_.damping_n_s_per_m, params_.moving_mass_kg};
    while (transfer.denominator.size() > 1 && transfer.denominator.back() == 0.0) transfer.denominator.pop_back();
    transfer.load = {1.0};
    if (params_.stinger_n_per_m == 0.0) return transfer;
    std::vector<double> stinger{params_.stinger_n_per_m};
    if (params_.stinger_n_s_per_m > 0.0) stinger.push_back(params_.stinger_n_s_per_m);
    transfer.load = transfer.denominator;
    for (std::size_t i = 0; i < stinger.size(); ++i) transfer.load[i] += stinger[i];
    transfer.denominator = product(transfer.denominator, stinger);
    transfer.numerator = stinger;
    return transfer;
  }
  std::string lagName() const override { return "exciter"; }

 private:
  // Own states [y, y'].
  ActuatorBlock stingerBlock(double gain, double step_s) const {
    const ExciterParams& p = params_;
    ActuatorBlock block;
    block.drives = ActuatorBlock::Drives::force;
    block.law.resize(5);
    block.law << -p.stinger_n_per_m, -p.stinger_n_s_per_m, 0.0, p.stinger_n_per_m, p.stinger_n_s_per_m;
    block.own.resize(2, 5);
    block.own << 0.0, 0.0, 0.0, 0.0, 1.0,  //
        p.stinger_n_per_m, p.stinger_n_s_per_m, gain, -(p.stiffness_n_per_m + p.stinger_n_per_m),
        -(p.damping_n_s_per_m + p.stinger_n_s_per_m);
    block.own.row(1) /= p.moving_mass_kg;
    block.own_sizes = Eigen::Vector2d(1.0, 1.0 / step_s);
    block.mass_setting = "/stinger_n_per_m";
    block.winds_up = false;
    block.inertia_at_tick = true;
    return block;
  }

  ExciterParams params_;
};

}  // namespace

ActuatorModelPtr exciter(const ExciterParams& params) { return std::make_shared<const Exciter>(params); }

ActuatorSpec parseExciter(const Json& settings) {
  ExciterParams params;
  read(settings, "moving_mass_kg", params.moving_mass_kg);
  read(settings, "stiffness_n_per_m", params.stiffness_n_per_m);
  read(settings, "damping_n_s_per_m", params.damping_n_s_per_m);
  read(settings, "stinger_n_per_m", params.stinger_n_per_m);
  read(settings, "stinger_n_s_per_m", params.stinger_n_s_per_m);
  return {.model = exciter(params)};
}

}  // namespace hyb
