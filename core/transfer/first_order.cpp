#include "core/transfer/first_order.h"

#include "core/base/json.h"

namespace hyb {
namespace {

class FirstOrder final : public ActuatorModel {
 public:
  explicit FirstOrder(double lag_s) : lag_s_(lag_s) {}
  std::string description(const std::string& delay) const override {
    return "first-order lag " + Checks::text(1e3 * lag_s_, "ms") + " behind " + delay;
  }
  void check(Checks& checks, double /*delay_s*/, double step_s) const override {
    if (!checks.positive("/lag_s", lag_s_, "s")) return;
    const double shortest_s = 0.01 * step_s;  // below, its exponential loses precision
    if (lag_s_ < shortest_s)
      checks.fault("/lag_s", lag_s_, "s",
                   "is too short for a tick of " + Checks::text(step_s, "s") + "; lengthen it to at least " +
                       Checks::text(shortest_s, "s") + ", raise /loop/rate_hz, or use model \"ideal\"");
  }
  ActuatorBlock block(double gain, double /*step_s*/) const override {
    ActuatorBlock block;
    block.drives = ActuatorBlock::Drives::velocity;
    block.law = Eigen::RowVector3d(-1.0 / lag_s_, 0.0, gain / lag_s_);
    return block;
  }
  std::unique_ptr<ActuatorDrive> drive(double /*gain*/, double delay_s, double step_s) const override {
    return makeLateCommand(delay_s, step_s);
  }
  ActuatorTransfer transfer() const override { return {{1.0}, {1.0, lag_s_}}; }
  std::string lagName() const override { return "first-order lag"; }

 private:
  double lag_s_;
};

}  // namespace

ActuatorModelPtr firstOrder(double lag_s) { return std::make_shared<const FirstOrder>(lag_s); }

ActuatorSpec parseFirstOrder(const Json& settings) { return {.model = firstOrder(settings.at("lag_s").get<double>())}; }

std::optional<Json> firstOrderLike(const ActuatorTransfer& transfer) {
  const std::vector<double>&n = transfer.numerator, &d = transfer.denominator;
  if (n.size() != 1 || d.size() != 2 || !(d[1] / d[0] > 0.0)) return std::nullopt;
  return Json{{"model", "first-order"}, {"lag_s", d[1] / d[0]}, {"gain", n[0] / d[0]}};
}

}  // namespace hyb
