#include "core/assess/stability_report.h"

#include <algorithm>
#include <cmath>

#include "core/assess/gap_loop_report.h"
#include "core/assess/learning_report.h"
#include "core/assess/led_stability.h"
#include "core/assess/loop_analysis.h"
#include "core/assess/piston_demand.h"
#include "core/base/numbers.h"
#include "core/run/build.h"
#include "core/stability/interface_sweep.h"
#include "core/stability/stable_delays.h"
#include "core/structure/modes.h"
#include "core/structure/reduction.h"

namespace hyb {
namespace {

constexpr Eigen::Index kShownModes = 10;  // of each substructure

StabilityRange rangeOf(const SystemMatrices& reference, const Project& project, std::optional<double> cutoff_hz) {
  return stabilityRange(reference, project.loop.rate_hz, cutoff_hz ? cutoff_hz : project.analysis.stability_cutoff_hz);
}

Json listOf(const Eigen::VectorXd& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(value);
  return list;
}

Json rootsOf(const std::vector<std::complex<double>>& roots) {
  Json list = Json::array();
  for (const std::complex<double>& root : roots)
    list.push_back(std::isfinite(root.real()) ? Json{{"re", root.real()}, {"im", root.imag()}} : Json(nullptr));
  return list;
}

void addCritical(Json& report, const std::optional<Crossing>& critical) {
  report["critical_delay_s"] = critical ? Json(critical->delay_s) : Json(nullptr);
  report["crossing_hz"] = critical ? Json(critical->frequency_hz) : Json(nullptr);
  report["entry"] = critical ? Json(critical->at_cutoff ? "cut-off" : "axis") : Json(nullptr);
  report["psi"] = critical && critical->delay_s > 0.0 ? Json(psi(critical->delay_s)) : Json(nullptr);
}

/// Lowest modes of the whole structure, of both substructures with free interface, and of the specimen with fixed
/// interface. Null for parts without modes.
void addModes(Json& report, const Partition& partition) {
  const auto add = [&](const char* name, const SystemMatrices& system) {
    Json frequencies = Json::array(), ratios = Json::array();
    if (system.size() > 0) {
      try {
        const Modes modes = lowestModes(system, kShownModes);
        frequencies = listOf(modes.frequency_hz);
        ratios = listOf(modes.damping_ratio);
      } catch (const InputError&) {  // a substructure alone may have unsupported parts
        frequencies = ratios = nullptr;
      }
    }
    report["natural_frequencies_hz"][name] = std::move(frequencies);
    report["damping_ratios"][name] = std::move(ratios);
  };
  add("reference", partition.reference);
  add("numerical", partition.numerical);
  add("physical", partition.physical);
  add("numerical_clamped", clamped(partition.numerical, partition.interface_in_numerical));
  add("physical_clamped", clamped(partition.physical, partition.interface_in_physical));
}

Json partsOf(const std::vector<DelayPart>& parts) {
  Json list = Json::array();
  for (const DelayPart& part : parts) list.push_back({{"name", part.name}, {"delay_s", part.seconds}});
  return list;
}

/// Delay of each actuator by parts, and of the actuator with the largest delay.
void addDelays(Json& report, const LoopDelay& delay) {
  const auto withLead = [](const ActuatorDelay& actuator) {
    std::vector<DelayPart> parts = actuator.parts;
    if (actuator.lead_s != 0.0) parts.push_back({"compensation", -actuator.lead_s});
    return partsOf(parts);
  };
  report["actuators"] = Json::array();
  for (const ActuatorDelay& actuator : delay.actuators)
    report["actuators"].push_back({{"dof", actuator.dof},
                                   {"delay_s", actuator.delay_s},
                                   {"lead_s", actuator.lead_s},
                                   {"parts", withLead(actuator)}});
  report["delay_parts"] = withLead(delay.latest());
}

Json modeOf(const DiscreteMode& mode) {
  return {{"spectral_radius", mode.spectral_radius},
          {"growth_per_s", mode.growth_per_s},
          {"frequency_hz", mode.frequency_hz},
          {"grows", mode.grows()}};
}

/// The sampled loop; null with the reason if it is too large.
void addDiscrete(Json& report, const Project& project, const Partition& partition, double cutoff_hz) {
  report["discrete"] = nullptr;
  try {
    const Partition reduced = reduceSides(partition, project.partition.numerical, project.partition.physical);
    const DiscreteStability loop = tickStability(project, reduced);
    report["discrete"] = modeOf(loop);
    report["discrete"]["compensated"] = loop.compensated;
    report["discrete"]["below_cutoff"] = modeOf(loop.upTo(cutoff_hz));
  } catch (const InputError& error) {
    report["discrete_fault"] = error.what();
  }
}

/// Demand on the pistons of a test with force targets; null with the reason if unknown.
void addPistons(Json& report, const Project& project, const Partition& partition) {
  if (project.coupling->springs(partition.interface.size()).size() == 0) return;
  report["pistons"] = Json::array();
  try {
    const std::vector<PistonDemand> demand = pistonDemand(project, partition);
    for (const PistonDemand& one : demand)
      report["pistons"].push_back({{"dof", one.dof},
                                   {"stroke_m", one.stroke_m},
                                   {"velocity_m_per_s", one.velocity_m_per_s},
                                   {"force_n", one.force_n}});
    report["pistons_beyond"] = beyondActuators(demand, project.twin.actuators);
  } catch (const InputError& error) {
    report["pistons"] = nullptr;
    report["pistons_fault"] = error.what();
  }
}

/// Is the PS on the side of larger coordinates? Decided by the middle of its inner and interface DOF.
bool physicalBeyond(const Model& model, const Partition& partition, bool along_y) {
  double whole = 0.0, physical = 0.0, whole_count = 0.0, physical_count = 0.0;
  for (const ModelNode& node : model.nodes)
    for (const Eigen::Index dof : node.dof) {
      if (dof < 0) continue;
      const double place = along_y ? node.y_m : node.x_m;
      const std::string& name = model.dofs[static_cast<std::size_t>(dof)].name;
      const auto& on_rig = partition.physical.dofs;
      whole += place;
      ++whole_count;
      if (std::none_of(on_rig.begin(), on_rig.end(), [&](const Dof& d) { return d.name == name; })) continue;
      physical += place;
      ++physical_count;
    }
  return physical / physical_count >= whole / whole_count;
}

double extent(const Model& model, double ModelNode::*place) {
  const auto [least, most] =
      std::minmax_element(model.nodes.begin(), model.nodes.end(),
                          [&](const ModelNode& a, const ModelNode& b) { return a.*place < b.*place; });
  return (*most).*place - (*least).*place;
}

/// The cut by position that the map moves along the structure.
CutByPosition movingCut(const Project& project, const Model& model) {
  if (const auto* position = std::get_if<CutByPosition>(&project.partition.cut)) return *position;
  if (model.nodes.empty() || model.elements.empty())
    throw InputError(
        "/structure/kind",
        "gives matrices without positions; a map needs a structure of elements (lumped, shear building, beam, frame)");
  CutByPosition moving;
  moving.along_y = extent(model, &ModelNode::y_m) > extent(model, &ModelNode::x_m);
  moving.physical_beyond = physicalBeyond(model, cut(model, project.partition), moving.along_y);
  return moving;
}

/// Critical delays and crossings of the cut. `led`: another program closes another loop, of which there are none here.
void addCut(Json& report, const Project& project, const Partition& partition, LoopAnalysis& analysis, bool led) {
  const StabilityRange& range = analysis.range;
  addCritical(report, led ? std::nullopt : analysis.critical);
  report["crossings"] = Json::array();
  report["actuator_critical_delays_s"] = Json::array();
  if (led) return;
  for (const Crossing& crossing : analysis.cut.crossings(range.max_delay_s))
    report["crossings"].push_back({{"delay_s", crossing.delay_s},
                                   {"frequency_hz", crossing.frequency_hz},
                                   {"destabilising", crossing.destabilising}});
  for (std::size_t i = 0; i < partition.interface.size(); ++i) {
    const DelaySystem alone = cutSystem(project, partition, static_cast<Eigen::Index>(i));
    const std::optional<Crossing> first =
        partition.interface.size() == 1 ? analysis.critical : criticalDelay(alone, range.cutoff_hz, range.max_delay_s);
    report["actuator_critical_delays_s"].push_back(first ? Json(first->delay_s) : Json(nullptr));
  }
}

/// What remains of the report where no loop is closed here that a delay could make unstable.
void addNoLoop(Json& report, double delay_s, const Json& stable) {
  report.update({{"delay_s", delay_s},
                 {"actuators", Json::array()},
                 {"delay_parts", Json::array()},
                 {"stable", stable},
                 {"margin_s", nullptr},
                 {"stable_added_delays_s", Json::array()},
                 {"added_delays_to_s", 0.0},
                 {"without_compensation", {{"delay_s", delay_s}, {"stable", stable}}},
                 {"roots", Json::array()},
                 {"roots_counted", true},
                 {"discrete", nullptr}});
}

}  // namespace

Json stabilityReport(const Project& project, std::optional<double> delay_s, std::optional<double> cutoff_hz) {
  const Partition partition = buildPartition(project);
  LoopAnalysis analysis(project, partition, cutoff_hz);
  const StabilityRange& range = analysis.range;

  Json report;
  const std::optional<LedStability> led =
      ledStability(project, delay_s.value_or(analysis.delay.latest().remaining_s()));
  addCut(report, project, partition, analysis, led.has_value());
  report["tracks"] = project.coupling->tracks();
  report["cutoff_hz"] = range.cutoff_hz;
  addModes(report, partition);
  report["left_out"] = partition.left_out.remarks;
  report["notes"] = project.notes;
  report["closes_loop"] = closesLoop(project);
  if (led) {
    addNoLoop(report, delay_s.value_or(analysis.delay.latest().remaining_s()), nullptr);
    report["without_compensation"]["delay_s"] = analysis.delay.latest().delay_s;
    addDelays(report, analysis.delay);
    report["led"] = {{"state", name(led->state)}, {"sentence", led->sentence}};
    return report;
  }
  if (!project.coupling->tracks()) {
    addNoLoop(report, 0.0, true);
    if (Json loop = gapLoopReport(project, partition); !loop.empty()) {
      report["stable"] = loop.value("stable", true);
      report["gap_loop"] = std::move(loop);
    }
    return report;
  }

  const Roots found =
      delay_s ? countedRoots(analysis.cut.system(), *delay_s, range.cutoff_hz) : analysis.own.countedRoots();
  report["delay_s"] = delay_s.value_or(analysis.delay.latest().remaining_s());
  addDelays(report, analysis.delay);
  report["stable"] = decays(found.roots);
  const std::optional<Crossing> margin = analysis.margin();
  report["margin_s"] = margin ? Json(margin->delay_s) : Json(nullptr);
  report["stable_added_delays_s"] = Json::array();
  for (const DelayInterval& interval : stableDelays(analysis.own, analysis.reach_s))
    report["stable_added_delays_s"].push_back({{"from", interval.from_s}, {"to", interval.to_s}});
  report["added_delays_to_s"] = analysis.reach_s;
  report["without_compensation"] = {{"delay_s", analysis.delay.latest().delay_s},
                                    {"stable", analysis.stableUncompensated()}};
  report["roots"] = rootsOf(found.roots);
  report["roots_counted"] = found.counted;
  if (partition.interface.size() == 1) {
    const std::optional<GainCrossover> least = analysis.phaseMargin();
    report["phase_margin"] =
        least ? Json{{"frequency_hz", least->frequency_hz}, {"phase_margin_deg", least->phase_margin_deg}}
              : Json(nullptr);
    report["phase_margins"] = Json::array();
    for (const GainCrossover& crossover : gainCrossovers(analysis.cut))
      report["phase_margins"].push_back({{"frequency_hz", crossover.frequency_hz},
                                         {"phase_margin_deg", crossover.phase_margin_deg},
                                         {"tolerated_delay_s", crossover.tolerated_delay_s}});
  }
  addDiscrete(report, project, partition, range.cutoff_hz);
  if (Json learning = learningReport(project, partition); !learning.empty()) report["learning"] = std::move(learning);
  addPistons(report, project, partition);
  return report;
}

Json dynamicStiffnessReport(const Project& project, double from_hz, double to_hz, int count) {
  const Partition partition = buildPartition(project);
  const auto matrix = [](const Eigen::MatrixXcd& values) -> Json {
    if (!values.allFinite()) return nullptr;
    Json rows = Json::array();
    for (Eigen::Index i = 0; i < values.rows(); ++i) {
      Json row = Json::array();
      for (Eigen::Index j = 0; j < values.cols(); ++j)
        row.push_back({{"re", values(i, j).real()}, {"im", values(i, j).imag()}});
      rows.push_back(row);
    }
    return rows;
  };
  const CondensedStiffness numerical(partition.numerical, partition.interface_in_numerical);
  const CondensedStiffness physical(partition.physical, partition.interface_in_physical);
  Json list = Json::array();
  for (int n = 0; n < count; ++n) {
    const double hz = from_hz + (to_hz - from_hz) * n / std::max(1, count - 1);
    const std::complex<double> s(0.0, kTwoPi * hz);
    list.push_back({{"frequency_hz", hz}, {"numerical", matrix(numerical(s))}, {"physical", matrix(physical(s))}});
  }
  return list;
}

Json locusReport(const Project& project, double from_s, double to_s, int count, std::optional<double> cutoff_hz) {
  const Partition partition = buildPartition(project);
  const StabilityRange range = rangeOf(partition.reference, project, cutoff_hz);
  std::vector<double> delays_s;
  for (int i = 0; i < count; ++i) delays_s.push_back(from_s + (to_s - from_s) * i / std::max(1, count - 1));
  const RootLocus locus = rootLocus(cutSystem(project, partition), delays_s, range.cutoff_hz);
  Json list = Json::array();
  for (std::size_t i = 0; i < locus.delay_s.size(); ++i)
    list.push_back({{"delay_s", locus.delay_s[i]}, {"roots", rootsOf(locus.roots[i])}});
  return list;
}

std::vector<double> mapPositions(const Model& model, bool along_y, int points) {
  std::vector<double> all;
  for (const ModelNode& node : model.nodes) all.push_back(along_y ? node.y_m : node.x_m);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end(), [](double a, double b) { return b - a <= 1e-9 * (1.0 + std::abs(a)); }),
            all.end());
  if (all.size() <= 2) return {};
  const std::vector<double> inner(all.begin() + 1, all.end() - 1);
  const std::size_t count = std::min(inner.size(), static_cast<std::size_t>(std::max(points, 2)));
  std::vector<double> picked;
  for (std::size_t i = 0; i < count; ++i)
    picked.push_back(inner[count == 1 ? 0 : (i * (inner.size() - 1) + (count - 1) / 2) / (count - 1)]);
  return picked;
}

Json interfaceMap(const Project& project, int points, std::optional<double> cutoff_hz, int threads,
                  const std::function<bool(std::size_t, std::size_t)>& progress) {
  const Model model = buildModel(project.structure);
  const CutByPosition moving = movingCut(project, model);
  if (project.coupling->springs(1).size() > 0)
    throw InputError(
        "/coupling/scheme",
        "has a force target, but the map supports cuts with a motion target only; use \"tracking\" for the map");
  const StabilityRange range = rangeOf(assemble(model), project, cutoff_hz);
  Json map = Json::array();
  for (const CutPoint& point : sweepInterface(model, moving, mapPositions(model, moving.along_y, points),
                                              range.cutoff_hz, range.max_delay_s, threads, progress)) {
    Json entry{{"position_m", point.position_m}};
    addCritical(entry, point.critical);
    entry["numerical_clamped_hz"] = point.numerical_clamped_hz;
    entry["physical_clamped_hz"] = point.physical_clamped_hz;
    entry["fault"] = point.fault.empty() ? Json(nullptr) : Json(point.fault);
    map.push_back(entry);
  }
  return map;
}

}  // namespace hyb
