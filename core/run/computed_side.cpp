#include "core/run/computed_side.h"

#include <algorithm>
#include <cmath>

#include "core/fidelity/record.h"
#include "core/integration/integrator.h"
#include "core/run/build.h"
#include "core/structure/reduction.h"

namespace hyb {
namespace {

// Of its rms: what the computed target may miss of the recorded one, in which the rest position of the start fades out.
constexpr double kSameTarget = 1e-2;

using Samples = std::vector<std::vector<double>>;  // [signals, rows]

/// The loads of the recorded signals, tick by tick. Signals that move supports are differentiated for their dashpots.
class RecordedExcitation {
 public:
  RecordedExcitation(const Project& project, const Partition& partition, Samples signals)
      : loads_(project.excitation.loads), signals_(std::move(signals)) {
    const auto supports = static_cast<Eigen::Index>(partition.reference.supports.size());
    value_.support_m.setZero(supports);
    value_.support_mps = value_.support_mps2 = value_.support_m;
    value_.force_n.setZero(static_cast<Eigen::Index>(partition.reference.dofs.size()));
    for (const std::vector<double>& signal : signals_) rates_.push_back(rates(signal, 1.0 / project.loop.rate_hz));
  }
  const ExcitationValue& at(std::size_t row) {
    for (Eigen::VectorXd* all : {&value_.support_m, &value_.support_mps, &value_.support_mps2, &value_.force_n})
      all->setZero();
    for (const Load& load : loads_) {
      const auto target = static_cast<Eigen::Index>(load.target);
      const double now = load.factor * signals_[load.signal][row];
      if (load.on == LoadTarget::force) value_.force_n[target] += now;
      if (load.on == LoadTarget::support_acceleration) value_.support_mps2[target] += now;
      if (load.on != LoadTarget::support_motion) continue;
      value_.support_m[target] += now;
      value_.support_mps[target] += load.factor * rates_[load.signal][row];
    }
    return value_;
  }

 private:
  const std::vector<Load>& loads_;
  Samples signals_, rates_;
  ExcitationValue value_;
};

Eigen::VectorXd loadOf(const SystemMatrices& system, const SparseMatrix& forces, const ExcitationValue& excitation) {
  return system.k_support * excitation.support_m + system.c_support * excitation.support_mps +
         system.m_support * excitation.support_mps2 + forces * excitation.force_n;
}

Eigen::Index indexOf(const SystemMatrices& system, const Dof& dof) {
  for (std::size_t d = 0; d < system.dofs.size(); ++d)
    if (system.dofs[d].name == dof.name) return static_cast<Eigen::Index>(d);
  return -1;
}

/// Every row from the first period on, one per period.
bool consecutive(const RunRows& run, std::uint64_t rows) {
  const std::vector<double> ticks = run.read("tick", 0, rows);
  for (std::size_t k = 0; k < ticks.size(); ++k)
    if (ticks[k] != static_cast<double>(k)) return false;
  return ticks.size() == rows;
}

}  // namespace

std::optional<ComputedSide> computedSide(const Project& project, const RunRows& run, const AnalysedRows& rows) {
  const std::uint64_t end = rows.first() + rows.count();
  if (project.site || rows.empty() || !consecutive(run, end)) return std::nullopt;
  const Partition partition = reduceSides(buildPartition(project), project.partition.numerical, {});
  const std::size_t interfaces = partition.interface.size();
  Samples signals, forces, targets;
  const auto take = [&](Samples& list, const std::string& stem, std::size_t count) {
    for (std::size_t i = 1; i <= count; ++i) {
      const std::string channel = stem + std::to_string(i);
      if (rows.has(channel)) list.push_back(run.read(channel, 0, end));
      if (list.size() < i || list.back().size() != end || !readable(list.back())) return false;
    }
    return true;
  };
  if (!take(signals, "excitation_", project.excitation.signals.size()) || !take(forces, "force_", interfaces) ||
      !take(targets, "target_", interfaces))
    return std::nullopt;

  const double step_s = 1.0 / project.loop.rate_hz;
  const auto numerical = makeIntegrator(project.integrator, partition.numerical, step_s);
  const auto reference = makeIntegrator(project.integrator, partition.reference, step_s);
  RecordedExcitation recorded(project, partition, std::move(signals));
  const std::vector<Dof>& dofs = partition.reference.dofs;
  const bool building = dofs.size() == 3 && interfaces == 1 && partition.interface_in_reference[0] == 0 &&
                        indexOf(partition.numerical, dofs[1]) >= 0 && indexOf(partition.numerical, dofs[2]) >= 0;
  ComputedSide side;
  double missed = 0.0, all = 0.0, work_j = 0.0;
  Eigen::VectorXd before = Eigen::VectorXd::Zero(partition.numerical.size()), old_load = before;
  Eigen::VectorXd at_start, uncut_at_start;
  for (std::size_t k = 0; k < end; ++k) {
    const ExcitationValue& excitation = recorded.at(k);
    const Eigen::VectorXd outer = loadOf(partition.numerical, partition.numerical_loads, excitation);
    Eigen::VectorXd load = outer;
    for (std::size_t i = 0; i < interfaces; ++i) load[partition.interface_in_numerical[i]] += forces[i][k];
    if (project.coupling.ahead) {  // the row holds the motion at the start of the step that follows
      at_start = numerical->displacement();
      uncut_at_start = reference->displacement();
    }
    if (k > 0) {  // in its first period the loop is at rest
      numerical->step(load);
      reference->step(loadOf(partition.reference, partition.reference_loads, excitation));
    }
    const Eigen::VectorXd& now = project.coupling.ahead ? at_start : numerical->displacement();
    const Eigen::VectorXd& uncut = project.coupling.ahead ? uncut_at_start : reference->displacement();
    for (std::size_t i = 0; k >= rows.first() && i < interfaces; ++i) {
      missed += std::pow(now[partition.interface_in_numerical[i]] - targets[i][k], 2);
      all += targets[i][k] * targets[i][k];
    }
    if (k >= rows.first()) {
      if (k > rows.first()) work_j += 0.5 * (outer + old_load).dot(now - before);
      side.input_j.push_back(work_j);
      for (std::size_t f = 0; building && f < 2; ++f) {
        side.floors[f].push_back(now[indexOf(partition.numerical, dofs[f + 1])]);
        side.reference[f].push_back(uncut[static_cast<Eigen::Index>(f + 1)]);
      }
    }
    before = now;
    old_load = outer;
  }
  if (!(missed <= kSameTarget * kSameTarget * all)) return std::nullopt;
  return side;
}

}  // namespace hyb
