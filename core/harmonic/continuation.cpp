#include "core/harmonic/continuation.h"

#include <algorithm>
#include <utility>

#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/harmonic/harmonic_test.h"

namespace hyb {
namespace {

class ContinuationSpec final : public CouplingSpec {
 public:
  explicit ContinuationSpec(ContinuationSettings settings) : settings_(std::move(settings)) {}
  std::string_view name() const noexcept override { return "continuation"; }
  bool tracks() const noexcept override { return false; }
  std::unique_ptr<CouplingScheme> make(SchemeContext context) const override {
    const std::vector<AxisSignals> axes = motionSignals(context.partition.interface);
    std::vector<SignalKind> kinds;
    for (const AxisSignals& axis : axes) kinds.push_back(axis.command);
    auto path =
        std::make_unique<ContinuationPath>(BalanceModel(settings_.model, context.partition, context.reduction,
                                                        context.sensors, context.force_sensors, context.fixture),
                                           settings_, std::move(kinds));
    return harmonicTest(std::move(path), axes, settings_.averages, context.step_s);
  }
  void check(std::size_t /*interfaces*/, const IntegratorSpec& /*integrator*/, Checks& checks) const override {
    const PathSettings& path = settings_.path;
    checkHarmonicModel(settings_.model, checks);
    if (from_hz() == settings_.to_hz)
      checks.fault("/range/to_hz", settings_.to_hz, "Hz", "must differ from the start of the path");
    if (path.most_averages < path.least_averages)
      checks.fault("/average/most", "is " + std::to_string(path.most_averages) + ", below the least of " +
                                        std::to_string(path.least_averages) + "; raise it.");
    if (path.least_step > path.first_step)
      checks.fault("/path/first_step", path.first_step, "",
                   "must not be below the smallest step of " + Checks::text(path.least_step, ""));
    if (path.first_step > path.most_step)
      checks.fault("/path/first_step", path.first_step, "",
                   "must not be above the largest step of " + Checks::text(path.most_step, ""));
    if (settings_.to_factor == 1.0)
      checks.fault("/backbone/to_factor", "is 1, which is the start of the backbone; enter another factor.");
  }
  void checkCut(const Partition& partition, const PartitionSpec& cut, Checks& checks) const override {
    for (std::size_t h = 1; h < settings_.model.harmonics.size(); ++h)
      if (settings_.model.harmonics[h] <= settings_.model.harmonics[h - 1]) return;
    checks.collect([&] { BalanceModel(settings_.model, partition, cut.numerical, cut.sensors, cut.force_sensors); });
  }
  void checkLoop(double step_s, double /*duration_s*/, Checks& checks) const override {
    checkHarmonicTicks(settings_.model, std::max(from_hz(), settings_.to_hz), step_s, checks);
  }
  std::vector<Channel> channels(std::size_t /*interfaces*/) const override { return harmonicTestChannels(); }
  std::vector<int> harmonicOrders() const override { return settings_.model.harmonics; }
  bool usesExcitation() const noexcept override { return false; }
  std::optional<PeriodAverages> periodAverages() const override {
    PeriodAverages averages = hyb::periodAverages(settings_.averages, settings_.model.harmonics);
    averages.range_hz = {from_hz(), settings_.to_hz};
    averages.range = true;
    return averages;
  }
  const ContinuationSettings* continuation() const noexcept override { return &settings_; }

 private:
  double from_hz() const noexcept { return settings_.model.frequencies_hz.front(); }
  ContinuationSettings settings_;
};

}  // namespace

CouplingSpecPtr parseContinuation(const Json& settings) {
  ContinuationSettings parsed;
  BalanceModelSettings& model = parsed.model;
  PathSettings& path = parsed.path;
  readHarmonicModel(settings, model);
  const Json range = settings.value("range", Json::object());
  model.frequencies_hz = {range.value("from_hz", 5.0)};
  model.moves = true;
  parsed.to_hz = range.value("to_hz", 10.0);
  read(range, "bound_m", parsed.bound_m);
  const std::string follow = text(settings, "follow");
  parsed.response = follow != "backbone";
  parsed.backbone = follow != "response";
  const Json backbone = settings.value("backbone", Json::object());
  read(backbone, "to_factor", parsed.to_factor);
  const Json average = settings.value("average", Json::object());
  readAverages(settings, parsed.averages);
  read(average, "least", path.least_averages);
  read(average, "most", path.most_averages);
  const Json residual = settings.value("residual", Json::object());
  read(residual, "tolerance", path.tolerance);
  read(residual, "steadiness", path.steadiness);
  read(residual, "length_m", model.length_m);
  const Json steps = settings.value("path", Json::object());
  read(steps, "first_step", path.first_step);
  read(steps, "least_step", path.least_step);
  read(steps, "most_step", path.most_step);
  read(steps, "perturbation", path.perturbation);
  read(steps, "corrections", path.corrections);
  if (steps.contains("turn_deg")) path.turn_rad = steps.at("turn_deg").get<double>() * kPi / 180.0;
  read(steps, "points", parsed.points);
  return std::make_shared<const ContinuationSpec>(std::move(parsed));
}

}  // namespace hyb
