#include "core/transfer/ideal.h"

namespace hyb {
namespace {

class Ramp final : public ActuatorDrive {
 public:
  Ramp(double gain, double step_s) : ActuatorDrive(0.0, step_s), gain_(gain), step_s_(step_s) {}

 private:
  TickInputs inputs(double x_m, double /*v_mps*/) noexcept override {
    const double end_m = gain_ * commands().at(0).position;
    return {end_m, (end_m - x_m) / step_s_};
  }

  double gain_, step_s_;
};

class Ideal final : public ActuatorModel {
 public:
  std::string description(const std::string& /*delay*/) const override { return "ideal"; }
  void check(Checks& checks, double delay_s, double /*step_s*/) const override {
    if (delay_s > 0.0)
      checks.fault("/delay_s", delay_s, "s", "model \"ideal\" has no delay; leave it out, or use \"pure-delay\"");
  }
  ActuatorBlock block(double /*gain*/, double /*step_s*/) const override { return {}; }
  std::unique_ptr<ActuatorDrive> drive(double gain, double /*delay_s*/, double step_s) const override {
    return std::make_unique<Ramp>(gain, step_s);
  }
  DelayPart sampling(double tick_s, double /*frequency_hz*/) const override {
    return {"command reached within the tick", tick_s};
  }
};

}  // namespace

ActuatorModelPtr idealActuator() {
  static const auto ideal = std::make_shared<const Ideal>();
  return ideal;
}

ActuatorSpec parseIdeal(const Json& /*settings*/) { return {}; }

}  // namespace hyb
