#include "core/transfer/servo.h"

#include "core/base/json.h"
#include "core/base/numbers.h"

namespace hyb {
namespace {

class Servo final : public ActuatorModel {
 public:
  explicit Servo(const ServoParams& params) : params_(params) {}
  std::string description(const std::string& delay) const override {
    return "servo " + Checks::text(params_.natural_frequency_hz, "Hz") + " behind " + delay;
  }
  void check(Checks& checks, double /*delay_s*/, double step_s) const override {
    checks.positive("/damping_ratio", params_.damping_ratio, "");
    if (!checks.positive("/natural_frequency_hz", params_.natural_frequency_hz, "Hz")) return;
    // Beyond this the servo settles many times within a tick, and its exponential loses precision.
    const double fastest_hz = 100.0 / step_s;
    if (params_.natural_frequency_hz > fastest_hz)
      checks.fault("/natural_frequency_hz", params_.natural_frequency_hz, "Hz",
                   "is too fast for a tick of " + Checks::text(step_s, "s") + "; lower it to at most " +
                       Checks::text(fastest_hz, "Hz") + ", raise /loop/rate_hz, or use model \"ideal\"");
    if (params_.damping_ratio > 100.0) checks.fault("/damping_ratio", params_.damping_ratio, "", "must be at most 100");
  }
  ActuatorBlock block(double gain, double /*step_s*/) const override {
    const double w = angularFrequency();
    ActuatorBlock block;
    block.drives = ActuatorBlock::Drives::acceleration;
    block.law = Eigen::RowVector3d(-w * w, -2.0 * params_.damping_ratio * w, gain * w * w);
    block.inertia_at_tick = true;
    return block;
  }
  std::unique_ptr<ActuatorDrive> drive(double /*gain*/, double delay_s, double step_s) const override {
    return makeLateCommand(delay_s, step_s);
  }
  ActuatorTransfer transfer() const override {
    const double w = angularFrequency();
    return {{1.0}, {1.0, 2.0 * params_.damping_ratio / w, 1.0 / (w * w)}};
  }
  std::string lagName() const override { return "servo"; }

 private:
  double angularFrequency() const noexcept { return kTwoPi * params_.natural_frequency_hz; }

  ServoParams params_;
};

}  // namespace

ActuatorModelPtr servo(const ServoParams& params) { return std::make_shared<const Servo>(params); }

ActuatorSpec parseServo(const Json& settings) {
  ServoParams params;
  read(settings, "natural_frequency_hz", params.natural_frequency_hz);
  read(settings, "damping_ratio", params.damping_ratio);
  return {.model = servo(params), .delay_s = 0.0005};
}

std::optional<Json> servoLike(const ActuatorTransfer& transfer) {
  const std::vector<double>&n = transfer.numerator, &d = transfer.denominator;
  if (n.size() != 1 || d.size() != 3 || !(d[0] / d[2] > 0.0) || !(d[1] / d[2] > 0.0)) return std::nullopt;
  const double w = std::sqrt(d[0] / d[2]);
  return Json{{"model", "servo"},
              {"natural_frequency_hz", w / kTwoPi},
              {"damping_ratio", 0.5 * d[1] / d[2] / w},
              {"gain", n[0] / d[0]}};
}

}  // namespace hyb
