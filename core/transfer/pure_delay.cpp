#include "core/transfer/pure_delay.h"

namespace hyb {
namespace {

class LateMotion final : public ActuatorDrive {
 public:
  LateMotion(double gain, double delay_s, double step_s) : ActuatorDrive(delay_s, step_s), gain_(gain) {}
  bool takesRate() const noexcept override { return true; }

 private:
  TickInputs inputs(double /*x_m*/, double /*v_mps*/) noexcept override {
    const double share = delay().fraction;
    const CommandHistory::Entry &older = commands().at(delay().ticks), &newer = commands().at(delay().ticks - 1);
    return {gain_ * (share * older.position + (1.0 - share) * newer.position),
            gain_ * (share * older.rate + (1.0 - share) * newer.rate)};
  }

  double gain_;
};

class PureDelay final : public ActuatorModel {
 public:
  std::string description(const std::string& delay) const override { return "pure delay " + delay; }
  void check(Checks& checks, double delay_s, double step_s) const override {
    if (delay_s >= 0.0 && delay_s <= step_s && splitDelay(delay_s, step_s).ticks < 1)
      checks.fault("/delay_s", delay_s, "s",
                   "model \"pure-delay\" needs at least one tick (" + Checks::text(step_s, "s") +
                       "); a shorter one needs the next command. Lengthen the delay, raise /loop/rate_hz to at "
                       "least " +
                       (delay_s > 0.0 ? Checks::text(1.0 / delay_s, "Hz") : "1/delay") +
                       ", or use model \"servo\" or \"ideal\"");
  }
  ActuatorBlock block(double /*gain*/, double /*step_s*/) const override {
    ActuatorBlock block;
    block.drives = ActuatorBlock::Drives::motion;
    return block;
  }
  std::unique_ptr<ActuatorDrive> drive(double gain, double delay_s, double step_s) const override {
    return std::make_unique<LateMotion>(gain, delay_s, step_s);
  }
  DelayPart sampling(double /*tick_s*/, double /*frequency_hz*/) const override { return {}; }
};

}  // namespace

ActuatorModelPtr pureDelay() { return std::make_shared<const PureDelay>(); }

ActuatorSpec parsePureDelay(const Json& /*settings*/) { return {.model = pureDelay()}; }

}  // namespace hyb
