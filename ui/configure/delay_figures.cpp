#include "ui/configure/delay_figures.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "core/compensation/prediction_weights.h"
#include "core/structure/interface_map.h"
#include "core/structure/reduction.h"

namespace hyb::ui {
namespace {

QString delayText(const char* text) { return QCoreApplication::translate("DelayView", text); }

constexpr Eigen::Index kModes = 20;
constexpr int kErrorPoints = 25;

std::vector<double> frequencies(const std::vector<ModeShape>& shapes) {
  std::vector<double> found;
  for (const ModeShape& shape : shapes) found.push_back(shape.frequency_hz);
  return found;
}

std::optional<DelayFigures::ReductionError> reductionOf(const Reduction& asked, const SystemMatrices& full,
                                                        const std::vector<Eigen::Index>& interface,
                                                        const SystemMatrices& reduced,
                                                        const std::vector<Eigen::Index>& reduced_interface,
                                                        double highest_hz) {
  if (asked.method == Reduction::Method::none) return {};
  std::vector<double> frequencies_hz;
  for (int i = 1; i <= kErrorPoints; ++i) frequencies_hz.push_back(highest_hz * i / kErrorPoints);
  return DelayFigures::ReductionError{full.dofs.size(), static_cast<std::size_t>(reduced.size()),
                                      reductionError(full, interface, reduced, reduced_interface, frequencies_hz),
                                      highest_hz};
}

}  // namespace

DelayFigures delayFigures(const Project& project) {
  DelayFigures figures;
  figures.method = project.compensation.method;
  try {
    const PartitionSpec& spec = project.partition;
    figures.places = actuatorPlaces(project);
    const Partition at_cut = cut(buildModel(project.structure), spec);
    figures.left_out = at_cut.left_out.remarks;
    figures.modes = modeShapes(at_cut, kModes);
    figures.natural_hz = frequencies(figures.modes.whole);
    figures.specimen_clamped_hz = frequencies(figures.modes.physical);
    figures.computed_clamped_hz = frequencies(figures.modes.numerical);
    const Partition partition = inActuatorAxes(at_cut, spec.actuators);
    figures.reduced = std::make_shared<const Partition>(reduceSides(partition, spec.numerical, spec.physical));

    const Eigen::Map<const Eigen::VectorXd> natural_hz(figures.natural_hz.data(),
                                                       static_cast<Eigen::Index>(figures.natural_hz.size()));
    const StabilityRange range = stabilityRange(natural_hz, project.loop.rate_hz, project.analysis.stability_cutoff_hz);
    figures.cutoff_hz = range.cutoff_hz;
    figures.max_delay_s = range.max_delay_s;
    figures.critical = criticalDelay({partition, {}, {}}, range.cutoff_hz, range.max_delay_s);
    const double at_hz =
        figures.critical && figures.critical->frequency_hz > 0.0 ? figures.critical->frequency_hz : range.lowest_hz;
    figures.delay = loopDelay(project, partition, at_hz);
    const auto decays = [&](Compensated compensated) {
      const auto roots = rightmostRoots(loopSystem(project, partition, at_hz, compensated), 0.0, range.cutoff_hz);
      return std::none_of(roots.begin(), roots.end(), [](const auto& root) { return root.real() >= 0.0; });
    };
    figures.stable = decays(Compensated::yes);
    figures.stable_uncompensated =
        figures.method == CompensationMethod::none ? figures.stable : decays(Compensated::no);

    const auto fifth = figures.natural_hz[std::min<std::size_t>(4, figures.natural_hz.size() - 1)];
    const double highest_hz = std::min(range.cutoff_hz, std::max(fifth, at_hz));
    const Partition& reduced = *figures.reduced;
    figures.computed_reduction = reductionOf(spec.numerical, partition.numerical, partition.interface_in_numerical,
                                             reduced.numerical, reduced.interface_in_numerical, highest_hz);
    figures.specimen_reduction = reductionOf(spec.physical, partition.physical, partition.interface_in_physical,
                                             reduced.physical, reduced.interface_in_physical, highest_hz);
  } catch (const std::exception& error) {
    figures.failed = QString::fromUtf8(error.what());
  }
  return figures;
}

std::optional<DiscreteStability> tickStability(const Project& project, const Partition& reduced) {
  try {
    return discreteStability(project.integrator, reduced, project.twin, 1.0 / project.loop.rate_hz,
                             project.compensation.added_delay_s);
  } catch (const std::exception&) {
    return {};
  }
}

QString noiseGainText(const Json& compensation) {
  if (!compensation.is_object() || !compensation.contains("prediction_ticks")) return {};
  const auto whole = [&](const char* key, int fallback) {
    return compensation.contains(key) && compensation[key].is_number_integer() ? compensation[key].get<int>()
                                                                               : fallback;
  };
  const int points = whole("points", 8), order = whole("order", 2);
  const Json& given = compensation["prediction_ticks"];
  double ticks = -1.0;
  for (const Json& one : given.is_array() ? given : Json::array({given}))
    if (one.is_number()) ticks = std::max(ticks, one.get<double>());
  if (ticks < 0.0 || ticks > 1000.0 || points > 200 || order > 15) return {};
  try {
    const double gain = noiseGain(points, order, ticks);
    if (!std::isfinite(gain)) return {};
    const QString judged = gain < 20.0    ? delayText("comfortable")
                           : gain < 100.0 ? delayText("high: more points or a lower order lower it")
                                          : delayText("too high for most actuators: take more points or a lower order");
    return delayText(
               "<b>Noise gain %1</b> at %2 ticks, %3. White noise in the target reaches the command this many times "
               "larger.")
        .arg(QString::number(gain, 'g', 3), QString::number(ticks, 'g', 4), judged);
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace hyb::ui
