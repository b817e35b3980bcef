// What DelayView shows, computed off the GUI thread.
#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "core/compensation/prediction_weights.h"
#include "core/structure/modes.h"
#include "ui/configure/delay_view.h"

namespace hyb::ui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("DelayView", text); }

std::vector<double> frequencies(const SystemMatrices& system) {
  if (system.size() == 0) return {};
  const Modes found = lowestModes(system, 20);
  return {found.frequency_hz.begin(), found.frequency_hz.end()};
}

/// The system with the interface held still.
SystemMatrices clamped(const SystemMatrices& system, const std::vector<Eigen::Index>& held) {
  std::vector<Eigen::Index> free;
  for (Eigen::Index i = 0; i < system.size(); ++i)
    if (std::find(held.begin(), held.end(), i) == held.end()) free.push_back(i);
  SystemMatrices result;
  result.m = block(system.m, free, free);
  result.c = block(system.c, free, free);
  result.k = block(system.k, free, free);
  return result;
}

}  // namespace

DelayFigures delayFigures(const Project& project) {
  DelayFigures figures;
  figures.method = project.compensation.method;
  try {
    const Partition partition = buildPartition(project);
    figures.natural_hz = frequencies(partition.reference);
    figures.specimen_clamped_hz = frequencies(clamped(partition.physical, partition.interface_in_physical));
    figures.computed_clamped_hz = frequencies(clamped(partition.numerical, partition.interface_in_numerical));
    // As in the stability report, so that window and command line agree.
    const double cutoff_hz = std::min(4.0 * figures.natural_hz.back(), 0.5 * project.loop.rate_hz);
    figures.critical = criticalDelay({partition, {}, {}}, cutoff_hz, 2.0 / figures.natural_hz.front());
    const double at_hz = figures.critical ? figures.critical->frequency_hz : figures.natural_hz.front();
    figures.parts = loopDelayParts(project, at_hz);
    for (const DelayPart& part : figures.parts) figures.delay_s += part.seconds;
    const auto& ticks = project.compensation.params.prediction.prediction_ticks;
    if (figures.method == CompensationMethod::forward_prediction && ticks.size() > 0)
      figures.predicted_s = ticks.mean() / project.loop.rate_hz;
  } catch (const std::exception& error) {
    figures.failed = QString::fromUtf8(error.what());
  }
  return figures;
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
    const QString judged = gain < 20.0    ? tr("comfortable")
                           : gain < 100.0 ? tr("high: more points or a lower order lower it")
                                          : tr("too high for most actuators: take more points or a lower order");
    return tr("<b>Noise gain %1</b> at %2 ticks, %3. White noise in the target reaches the command this many times "
              "larger.")
        .arg(QString::number(gain, 'g', 3), QString::number(ticks, 'g', 4), judged);
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace hyb::ui
