#include "core/assess/computed_side.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/coupling/driven_side.h"
#include "core/fidelity/record.h"
#include "core/integration/integrator.h"
#include "core/run/build.h"
#include "core/signal/calculus.h"
#include "core/structure/reduction.h"

namespace hyb {
namespace {

// Allowed rms deviation of the computed from the recorded target, relative to its rms. The initial rest position fades
// out in it.
constexpr double kSameTarget = 1e-2;

using Samples = std::vector<std::vector<double>>;  // [signals, rows]

/// Effect of the recorded signals on a system, row by row. Signals that move supports are differentiated for their
/// dashpots.
class RecordedLoad {
 public:
  /// `forces` as in Partition: [n, DOF of the reference].
  RecordedLoad(const Project& project, const SystemMatrices& system, const SparseMatrix& forces, const Samples& signals,
               const Samples& rates)
      : signals_(signals), rates_(rates), load_(Eigen::VectorXd::Zero(system.size())) {
    const auto of = [](const auto& matrix, const Load& load) {
      return Eigen::VectorXd(load.factor * matrix.col(static_cast<Eigen::Index>(load.target)));
    };
    of_signal_ = of_rate_ = Eigen::MatrixXd::Zero(system.size(), static_cast<Eigen::Index>(signals.size()));
    for (const Load& load : project.excitation.loads) {
      const auto s = static_cast<Eigen::Index>(load.signal);
      if (load.on == LoadTarget::force) of_signal_.col(s) += of(forces, load);
      if (load.on == LoadTarget::support_acceleration) of_signal_.col(s) += of(system.m_support, load);
      if (load.on != LoadTarget::support_motion) continue;
      of_signal_.col(s) += of(system.k_support, load);
      of_rate_.col(s) += of(system.c_support, load);
    }
  }
  const Eigen::VectorXd& at(std::size_t row) {
    load_.setZero();
    for (std::size_t s = 0; s < signals_.size(); ++s) {
      const auto column = static_cast<Eigen::Index>(s);
      load_ += signals_[s][row] * of_signal_.col(column) + rates_[s][row] * of_rate_.col(column);
    }
    return load_;
  }

 private:
  const Samples &signals_, &rates_;      // [signals, rows]
  Eigen::MatrixXd of_signal_, of_rate_;  // [n, signals], N per unit of a signal, and of its rate
  Eigen::VectorXd load_;                 // [n], N
};

Eigen::Index indexOf(const SystemMatrices& system, const Dof& dof) {
  for (std::size_t d = 0; d < system.dofs.size(); ++d)
    if (system.dofs[d].name == dof.name) return static_cast<Eigen::Index>(d);
  return -1;
}

/// Shears of the second and third storey of a building.
class StoreyShears {
 public:
  /// `second`, `third`: the floors in `system`.
  StoreyShears(const SystemMatrices& system, Eigen::Index second, Eigen::Index third) {
    const auto summedUp = [&](const SparseMatrix& matrix) {
      const Eigen::MatrixXd rows(matrix);
      Eigen::MatrixXd sums(2, system.size());
      sums << rows.row(second) + rows.row(third), rows.row(third);
      return sums;
    };
    k_ = summedUp(system.k);
    c_ = summedUp(system.c);
  }
  void push(const Eigen::VectorXd& x, const Eigen::VectorXd& v, std::array<std::vector<double>, 2>& shears) {
    now_.noalias() = k_ * x;
    now_.noalias() += c_ * v;
    for (std::size_t s = 0; s < 2; ++s) shears[s].push_back(now_[static_cast<Eigen::Index>(s)]);
  }

 private:
  Eigen::MatrixXd k_, c_;  // [storey, n], floors summed from the top
  Eigen::Vector2d now_;    // N
};

/// Every row from the first period on, one per period.
bool consecutive(const Table& table, std::uint64_t rows) {
  const std::vector<double> ticks = table.read(placeOf(table, ColumnRole::tick), 0, rows);
  for (std::size_t k = 0; k < ticks.size(); ++k)
    if (ticks[k] != static_cast<double>(k)) return false;
  return true;
}

}  // namespace

bool isBuilding(const Partition& partition) {
  const std::vector<Dof>& dofs = partition.reference.dofs;
  return dofs.size() == 3 && partition.interface.size() == 1 && partition.interface_in_reference[0] == 0 &&
         indexOf(partition.numerical, dofs[1]) >= 0 && indexOf(partition.numerical, dofs[2]) >= 0;
}

std::optional<ComputedSide> computedSide(const Project& project, const AnalysedRows& rows) {
  const Table& table = rows.table();
  const std::uint64_t end = rows.first() + rows.count();
  if (project.coupling->site() != nullptr || rows.empty() || !consecutive(table, end)) return std::nullopt;
  const Partition partition = reduceSides(buildPartition(project), project.partition.numerical, {});
  const std::size_t interfaces = partition.interface.size();
  Samples signals, forces, targets, specimens;
  const Eigen::VectorXd springs = project.coupling->springs(interfaces);
  const auto take = [&](Samples& list, ColumnRole role, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::optional<std::size_t> channel = find(table, columnName(role, i));
      if (!channel || !readable(list.emplace_back(table.read(*channel, 0, end)))) return false;
    }
    return true;
  };
  const ColumnRole force =
      find(table, columnName(ColumnRole::modelled_force, 0)) ? ColumnRole::modelled_force : ColumnRole::force;
  if (!take(signals, ColumnRole::excitation, project.excitation.signals.size()) || !take(forces, force, interfaces) ||
      !take(targets, ColumnRole::target, interfaces) ||
      (springs.size() > 0 && !take(specimens, ColumnRole::specimen, interfaces)))
    return std::nullopt;

  const double step_s = 1.0 / project.loop.rate_hz;
  const auto numerical = springs.size() > 0 ? nullptr : makeIntegrator(project.integrator, partition.numerical, step_s);
  std::optional<DrivenSide> driven;
  if (springs.size() > 0)
    driven.emplace(project.integrator, partition.numerical, partition.interface_in_numerical, springs, step_s);
  const auto reference = makeIntegrator(project.integrator, partition.reference, step_s);
  Samples rates_of;
  for (const std::vector<double>& signal : signals) rates_of.push_back(rates(signal, step_s));
  RecordedLoad numerical_load(project, partition.numerical, partition.numerical_loads, signals, rates_of);
  RecordedLoad reference_load(project, partition.reference, partition.reference_loads, signals, rates_of);
  const std::vector<Dof>& dofs = partition.reference.dofs;
  const bool building = isBuilding(partition);
  Eigen::Index floor_in_numerical[] = {-1, -1};
  for (std::size_t f = 0; f < 2 && building; ++f) floor_in_numerical[f] = indexOf(partition.numerical, dofs[f + 1]);
  std::optional<StoreyShears> shears, reference_shears;
  if (building && partition.reference.nonlinear.empty()) {
    shears.emplace(partition.numerical, floor_in_numerical[0], floor_in_numerical[1]);
    reference_shears.emplace(partition.reference, 1, 2);
  }
  ComputedSide side;
  double missed = 0.0, all = 0.0, work_j = 0.0;
  Eigen::VectorXd before = Eigen::VectorXd::Zero(partition.numerical.size()), old_load = before;
  Eigen::VectorXd load, at_start, speed_at_start, uncut_at_start, uncut_speed_at_start, moves = before, speeds = before;
  Eigen::VectorXd specimen = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(interfaces));
  for (std::size_t k = 0; k < end; ++k) {
    const Eigen::VectorXd& outer = numerical_load.at(k);
    load = outer;
    for (std::size_t i = 0; i < interfaces && numerical; ++i) load[partition.interface_in_numerical[i]] += forces[i][k];
    if (project.coupling->ahead()) {  // the row holds the motion at the start of the next step
      at_start = numerical->displacement();
      speed_at_start = numerical->velocity();
      uncut_at_start = reference->displacement();
      uncut_speed_at_start = reference->velocity();
    }
    if (k > 0) {  // in its first period the loop is at rest
      if (numerical) {
        numerical->step(load);
      } else {
        for (std::size_t i = 0; i < interfaces; ++i) specimen[static_cast<Eigen::Index>(i)] = specimens[i][k];
        driven->step(load, specimen, specimen);
        for (Eigen::Index dof = 0; dof < moves.size(); ++dof) {
          moves[dof] = driven->displacement(dof);
          speeds[dof] = driven->velocity(dof);
        }
      }
      if (building) reference->step(reference_load.at(k));
    }
    const bool ahead = project.coupling->ahead();
    const Eigen::VectorXd& now = driven ? moves : ahead ? at_start : numerical->displacement();
    const Eigen::VectorXd& now_speed = driven ? speeds : ahead ? speed_at_start : numerical->velocity();
    const Eigen::VectorXd& uncut = ahead ? uncut_at_start : reference->displacement();
    const Eigen::VectorXd& uncut_speed = ahead ? uncut_speed_at_start : reference->velocity();
    for (std::size_t i = 0; k >= rows.first() && i < interfaces; ++i) {
      const double target =
          driven ? driven->target()[static_cast<Eigen::Index>(i)] : now[partition.interface_in_numerical[i]];
      const double miss = target - targets[i][k];
      missed += miss * miss;
      all += targets[i][k] * targets[i][k];
    }
    if (k >= rows.first()) {
      if (k > rows.first()) work_j += 0.5 * (outer + old_load).dot(now - before);
      side.input_j.push_back(work_j);
      for (std::size_t f = 0; building && f < 2; ++f) {
        side.floors[f].push_back(now[floor_in_numerical[f]]);
        side.reference[f].push_back(uncut[static_cast<Eigen::Index>(f + 1)]);
      }
      if (shears) {
        shears->push(now, now_speed, side.shears);
        reference_shears->push(uncut, uncut_speed, side.reference_shears);
      }
      if (building && driven) {
        side.specimen.push_back(specimen[0]);
        side.specimen_reference.push_back(uncut[0]);
      }
    }
    before = now;
    old_load = outer;
  }
  if (!(missed <= kSameTarget * kSameTarget * all)) return std::nullopt;
  return side;
}

}  // namespace hyb
