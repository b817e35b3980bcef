#include "core/run/build.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/figure_text.h"
#include "core/base/numbers.h"
#include "core/base/overloaded.h"
#include "core/compensation/command_history.h"
#include "core/coupling/external_target.h"
#include "core/coupling/tracking.h"
#include "core/excitation/even_sines.h"
#include "core/project/additions.h"
#include "core/project/command_bounds.h"
#include "core/project/interface_sensing.h"
#include "core/project/rig_legs.h"
#include "core/project/sensed_twin.h"
#include "core/project/tunable_range.h"
#include "core/rig/device_channels.h"
#include "core/rig/device_rig.h"
#include "core/rig/faulty_rig.h"
#include "core/rig/geometry_rig.h"
#include "core/rig/sensed_rig.h"
#include "core/rig/shadow_rig.h"
#include "core/rig/twin.h"
#include "core/run/provenance.h"
#include "core/run/run_record.h"
#include "core/structure/interface_map.h"
#include "core/structure/reduction.h"
#include "core/transfer/command_response.h"
#include "core/transfer/transfer_system.h"

namespace hyb {
namespace {

std::unique_ptr<Signal> buildSignal(const SignalSpec& spec, const Project& project) {
  return std::visit(
      Overloaded{[](const SineSpec& s) { return makeSine(s); },
                 [&project](const MultiSineSpec& s) {
                   return makeMultiSine(s, {1.0 / project.loop.rate_hz, project.loop.excitation_from_s});
                 },
                 [](const SteppedSineSpec& s) { return makeSteppedSine(s); },
                 [](const SweepSpec& s) { return makeSweep(s); }, [](const SquareSpec& s) { return makeSquare(s); },
                 [](const StepSpec& s) { return makeStep(s); },
                 [&project](const GroundMotionSignal& s) {
                   const GroundMotion record = readRecord(s);
                   if (s.acceleration) return makeGroundAcceleration(record, s.spec);
                   return makeWallMotion(record, s.spec, 1.0 / project.loop.rate_hz);
                 }},
      spec.shape);
}

std::unique_ptr<Compensator> buildCompensator(const Project& project, const Partition& partition) {
  std::unique_ptr<Compensator> compensator = project.compensation.method->make();
  std::vector<RunningAddition> additions;
  for (const PlacedAddition& placed : additionsOf(*project.compensation.method))
    additions.push_back({placed.spec->make(additionContext(project, partition, placed)), placed.axes, placed.limit_m,
                         velocityEntries(project, placed), placed.field});
  if (!additions.empty())
    compensator = makeWithAdditions(std::move(compensator), std::move(additions), partition.interface.size(),
                                    1.0 / project.loop.rate_hz);
  const Eigen::VectorXd& added_s = project.compensation.added_delay_s;
  if (added_s.isZero(0.0)) return compensator;
  return makeAddedDelay(std::move(compensator), added_s, 1.0 / project.loop.rate_hz);
}

/// [n, 3] of 0 or 1: the DOF belongs to the NS, to the PS, to the interface.
Eigen::MatrixXd partitionTable(const Partition& partition) {
  Eigen::MatrixXd table = Eigen::MatrixXd::Zero(partition.reference.size(), 3);
  const auto mark = [&](const std::vector<Dof>& dofs, Eigen::Index column) {
    for (std::size_t d = 0; d < partition.reference.dofs.size(); ++d)
      for (const Dof& dof : dofs)
        if (dof.name == partition.reference.dofs[d].name) table(static_cast<Eigen::Index>(d), column) = 1.0;
  };
  mark(partition.numerical.dofs, 0);
  mark(partition.physical.dofs, 1);
  mark(partition.interface, 2);
  return table;
}

/// How far the limits of the project let each command move.
std::vector<TargetReach> reachOf(const Project& project) {
  std::vector<TargetReach> all(project.axes.size());
  const std::vector<Limit> limits = watchedLimits(project);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].most = largestMotion(project, i);
    for (const Limit& limit : limits) {
      const LimitQuantity& quantity = *limit.quantity;
      if (limit.action < Action::hold || !limit.covers(static_cast<int>(i) + 1, project.axes[i])) continue;
      if (quantity.values == &SafetySample::command_step)
        all[i].rate = std::min(all[i].rate, limit.threshold * project.loop.rate_hz);
      else if (quantity.values == &SafetySample::command_rate || quantity.values == &SafetySample::velocity)
        all[i].rate = std::min(all[i].rate, limit.threshold);
    }
  }
  return all;
}

std::unique_ptr<Rig> makeProjectTwin(const Project& project, const Partition& partition, TwinReads reads) {
  TwinParams params = sensedTwin(project, partition);
  if (reads == TwinReads::interface)  // the twin itself gives what is computed from its readings elsewhere
    params.fixture.load_cell_beneath = params.fixture.isRead();
  return makeTwin(reduceSides(partition, {}, project.partition.physical), params, 1.0 / project.loop.rate_hz, reads);
}

}  // namespace

Partition buildPartition(const Project& project) {
  return inActuatorAxes(cut(buildModel(project.structure), project.partition), project.partition.actuators);
}

Excitation buildExcitation(const Project& project, const Partition& partition) {
  std::vector<Excitation::NamedSignal> signals;
  for (const SignalSpec& spec : project.excitation.signals)
    signals.push_back({spec.name, spec.units, buildSignal(spec, project)});
  return Excitation(std::move(signals), project.excitation.loads, partition.reference.supports.size(),
                    partition.reference.dofs.size());
}

double excitationFrequency_hz(const Project& project) {
  std::vector<Excitation::NamedSignal> signals;
  for (const SignalSpec& spec : project.excitation.signals) {
    // A ground-motion record is not periodic. Reading it only to find that out would take time.
    if (std::holds_alternative<GroundMotionSignal>(spec.shape)) return 0.0;
    signals.push_back({spec.name, spec.units, buildSignal(spec, project)});
  }
  return Excitation(std::move(signals), {}, 0, 0).frequencyHz();
}

SchemeContext schemeContext(const Project& project, const Partition& partition,
                            std::shared_ptr<TargetExchange> exchange) {
  return {
      partition,
      project.partition.numerical,
      project.integrator,
      1.0 / project.loop.rate_hz,
      buildCompensator(project, partition),
      std::move(exchange),
      project.twin.laws
          .empty(),  // the PS of the partition does not include the laws, so the uncut structure would lack them too
      [&project, &partition] {
        return std::make_unique<TransferSystem>(reduceSides(partition, {}, project.partition.physical),
                                                linearised(project.twin), 1.0 / project.loop.rate_hz);
      },
      project.partition.sensors,
      project.partition.force_sensors,
      project.twin.fixture.taken_out ? &project.twin.fixture : nullptr};
}

std::unique_ptr<Rig> buildTwin(const Project& project, const Partition& partition) {
  return makeProjectTwin(project, partition, TwinReads::interface);
}

std::unique_ptr<Rig> buildRawTwin(const Project& project, const Partition& partition) {
  auto twin = makeProjectTwin(project, partition, isSensed(project) ? TwinReads::sensors : TwinReads::interface);
  return project.rig.geometry ? makeLeggedTwin(std::move(twin), *project.rig.geometry) : std::move(twin);
}

std::unique_ptr<Rig> withSensors(const Project& project, const Partition& partition, std::unique_ptr<Rig> rig) {
  if (project.rig.geometry) rig = makeGeometryRig(std::move(rig), *project.rig.geometry, 1.0 / project.loop.rate_hz);
  if (!isSensed(project)) return rig;
  return makeSensedRig(std::move(rig), interfaceSensing(project, partition), 1.0 / project.loop.rate_hz);
}

std::unique_ptr<Rig> buildRig(const Project& project, const Partition& partition, const DeviceFactory& devices,
                              bool paced, FaultsBy faults) {
  const double rate_hz = project.loop.rate_hz;
  const std::uint64_t seed = project.twin.seed;
  if (project.rig.use == RigUse::twin) {
    std::unique_ptr<Rig> twin = buildRawTwin(project, partition);
    if (faults == FaultsBy::anyone || !project.rig.faults.empty())
      twin = makeFaultyRig(std::move(twin), 1.0 / rate_hz, seed);
    return withSensors(project, partition, std::move(twin));
  }
  if (!devices) throw InputError("/rig/use", "asks for a rig, which is not available here; set it to \"twin\".");
  const std::size_t interfaces = partition.interface.size();
  const std::size_t sensors = project.partition.sensors.size();
  const std::vector<ChannelSpec> channels = projectChannels(project, interfaces);
  DeviceChannels wanted = deviceChannels(channels, rate_hz);
  wanted.paced = paced;
  if (!paced && project.rig.connection.protocol && project.rig.connection.protocol->leads())
    throw InputError("/rig/connection", "lets the target lead, which a free run cannot follow; run it in real time.");
  auto device = makeDeviceRig(devices(project.rig, wanted), channels,
                              sensors > 0 ? sensors : actuatorCount(project, interfaces), rate_hz);
  auto rig = withSensors(project, partition, makeFaultyRig(std::move(device), 1.0 / rate_hz, seed, false));
  if (project.rig.use == RigUse::rig) return rig;
  return makeShadowRig(std::move(rig), buildTwin(project, partition),
                       project.coupling->axisSignals(partition.interface));
}

std::unique_ptr<Loop> buildLoop(const Project& project, std::unique_ptr<Rig> rig, SchemeContext context) {
  constexpr double kMostWindowTicks = 1e6;  // of the stability indicator
  const Partition& partition = context.partition;
  LoopConfig config = project.loop;
  config.growth_window_s =
      std::clamp(project.analysis.window_s, 2.0 / config.rate_hz, kMostWindowTicks / config.rate_hz);
  Excitation excitation = buildExcitation(project, partition);
  context.excitation = excitation.zero();
  context.reach = reachOf(project);
  auto loop = std::make_unique<Loop>(config, std::move(rig), project.coupling->make(std::move(context)),
                                     std::move(excitation), watchedLimits(project), project.rig.faults);
  std::vector<Tunable> tunables = loop->tunables();
  boundTunables(tunables, project.document);
  loop->boundTunables(std::move(tunables));
  loop->watch(project.compensation.watch);
  return loop;
}

std::unique_ptr<Loop> buildLoop(const Project& project, std::unique_ptr<Rig> rig,
                                std::shared_ptr<TargetExchange> exchange) {
  const Partition partition = buildPartition(project);
  return buildLoop(project, std::move(rig), schemeContext(project, partition, std::move(exchange)));
}

std::unique_ptr<Loop> buildLoop(const Project& project, const DeviceFactory& devices, bool paced,
                                std::shared_ptr<TargetExchange> exchange) {
  return buildLoop(project, buildRig(project, buildPartition(project), devices, paced), std::move(exchange));
}

std::unique_ptr<Loop> buildUnattendedLoop(const Project& project, const DeviceFactory& devices, bool paced) {
  return buildLoop(project, buildRig(project, buildPartition(project), devices, paced, FaultsBy::project));
}

RunFileHeader buildHeader(const Project& project) {
  const Partition partition = buildPartition(project);
  const SystemMatrices& whole = partition.reference;
  std::string dofs;
  for (const Dof& dof : whole.dofs) dofs += (dofs.empty() ? "" : ", ") + dof.name;
  const std::string order = "; row = equation, DOF in the order " + dofs + " (Octave and MATLAB show it transposed)";
  RunFileHeader header;
  header.title = project.meta.title;
  header.operator_name = project.meta.operator_name;
  header.rate_hz = project.loop.rate_hz;
  header.project_json = project.document.dump(2, ' ', true);
  header.matrices = {
      {"m", "kg", "mass matrix of the reference structure" + order, whole.m},
      {"c", "N s/m", "damping matrix of the reference structure" + order, whole.c},
      {"k", "N/m", "stiffness matrix of the reference structure" + order, whole.k},
      {"partition", "", "one row per DOF (" + dofs + "): in the NS, in the PS, at the interface",
       partitionTable(partition)},
  };
  std::string signals;
  for (const SignalSpec& signal : project.excitation.signals) signals += (signals.empty() ? "" : ", ") + signal.name;
  header.designsafe = {
      {"project_title", project.meta.title},
      {"project_description", project.meta.description},
      {"referenced_data", project.meta.source},
      {"global_model_title", project.meta.title},
      {"excitation_description", "signals " + signals},
      {"coordinator_application", "HybridBench"},
  };
  describeModel(project, partition, header);
  const std::string bounds = derivedBoundWords(project), braking = brakingWords(project);
  if (!project.folder.empty())
    header.used.emplace_back(kProjectFolder, std::filesystem::absolute(project.folder).string());
  if (!bounds.empty()) header.used.emplace_back("command_bounds", bounds);
  if (!braking.empty()) header.used.emplace_back("command_braking", braking);
  if (project.loop.tuning_fade_s > 0.0)
    header.used.emplace_back("tuning_fade", figureText(project.loop.tuning_fade_s) + " s");
  return header;
}

}  // namespace hyb
