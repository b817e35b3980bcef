#include "ui/configure/delay_figures.h"

#include <QStringList>
#include <algorithm>
#include <cmath>

#include "core/assess/led_stability.h"
#include "core/project/schema.h"
#include "core/structure/interface_map.h"
#include "core/structure/reduction.h"

namespace hyb::ui {
namespace {

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
  DelayFigures::ReductionError found{full.dofs.size(), static_cast<std::size_t>(reduced.size()), 0.0};
  for (int i = 1; i <= kErrorPoints; ++i) {
    const double hz = highest_hz * i / kErrorPoints;
    if (!(reductionError(full, interface, reduced, reduced_interface, {hz}) <= DelayFigures::ReductionError::kGood))
      break;
    found.good_hz = hz;
  }
  return found;
}

}  // namespace

DelayFigures delayFigures(const Project& project) {
  DelayFigures figures;
  figures.method = project.compensation.method;
  figures.without_laws = !project.twin.laws.empty();
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

    LoopAnalysis analysis(project, partition);
    figures.cutoff_hz = analysis.range.cutoff_hz;
    figures.max_delay_s = analysis.range.max_delay_s;
    figures.delay = analysis.delay;
    const std::optional<LedStability> led = ledStability(project, analysis.delay.latest().remaining_s());
    if (led) {
      figures.led = true;
      figures.beside = QString::fromStdString(led->sentence);
      figures.beside_hazard = led->state == CheckState::warning;
    } else if (project.coupling->tracks()) {
      figures.critical = analysis.critical;
      figures.stable = analysis.stable();
      figures.stable_uncompensated = analysis.stableUncompensated();
      figures.added_to_s = analysis.reach_s;
      figures.stable_added = stableDelays(analysis.own, analysis.reach_s);
    } else {
      figures.beside = QString::fromStdString(besideTracking(*project.coupling));
      figures.beside_hazard = !project.coupling->hazard().empty();
    }

    const auto fifth = figures.natural_hz[std::min<std::size_t>(4, figures.natural_hz.size() - 1)];
    const double highest_hz = std::min(figures.cutoff_hz, std::max(fifth, analysis.at_hz));
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

std::optional<DiscreteStability> tickFigures(const Project& project, const Partition& reduced) {
  if (!closesLoop(project)) return {};
  try {
    return tickStability(project, reduced);
  } catch (const std::exception&) {
    return {};
  }
}

QString compensationRemarks(const Json& section, double step_s, const std::filesystem::path& folder) {
  const Json& schema = projectSchema()["definitions"]["compensation"];
  if (!checkSchema(section, schema).empty()) return {};
  Checks checks;
  const CompensationMethodPtr method =
      parseCompensation(withDefaults(section, schema), "/compensation", {axesAsked(section), step_s, folder}, checks);
  QStringList lines;
  if (method)
    for (const std::string& remark : method->remarks()) lines << QString::fromStdString(remark);
  return lines.join(QLatin1Char('\n'));
}

}  // namespace hyb::ui
