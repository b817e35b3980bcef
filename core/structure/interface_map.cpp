#include "core/structure/interface_map.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/linalg/dense.h"
#include "core/linalg/svd.h"
#include "core/structure/sides.h"

namespace hyb {
namespace {

constexpr double kRank = 1e-9;  // share of the largest singular value, rows and columns scaled to 1

/// Checks for any list of axes: names, numbers.
void checkAxes(const std::vector<InterfaceAxis>& axes, const std::string& where, Checks& checks) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::string pointer = where + "/" + std::to_string(i);
    if (axes[i].name.empty()) checks.fault(pointer + "/name", "is empty; give a name");
    for (std::size_t j = 0; j < i; ++j)
      if (!axes[i].name.empty() && axes[j].name == axes[i].name)
        checks.fault(pointer + "/name", "\"" + axes[i].name + "\" is given twice; rename one");
    if (axes[i].terms.empty()) checks.fault(pointer + "/terms", "is empty; give the interface motions that it sums up");
    for (const auto& [name, factor] : axes[i].terms)
      if (!std::isfinite(factor)) checks.fault(pointer + "/terms/" + name, "is not finite; give a number");
  }
}

/// Motions v with A v = 0, in columns. Rows and columns are scaled first, so that the result does not depend on units.
Eigen::MatrixXd nullMotions(const Eigen::MatrixXd& a) {
  const auto scales = [](const Eigen::VectorXd& sizes) -> Eigen::VectorXd {
    return (sizes.array() > 0.0).select(sizes.array().max(1e-300).inverse(), 1.0);
  };
  const Eigen::VectorXd columns = scales(a.cwiseAbs().colwise().maxCoeff());
  const Eigen::MatrixXd scaled = a * columns.asDiagonal();
  const Eigen::VectorXd rows = scales(scaled.rowwise().norm());
  const auto [values, v] = linalg::rightSvd(rows.asDiagonal() * scaled);
  const double largest = values.size() > 0 ? values[0] : 0.0;
  const Eigen::Index rank = (values.array() > kRank * largest).count();
  return columns.asDiagonal() * v.rightCols(a.cols() - rank);
}

/// x = basis x' of one system: the interface moves with the axes, the other DOF do not change.
SparseMatrix basisOf(Eigen::Index n, const std::vector<Eigen::Index>& interface, const Eigen::MatrixXd& motion) {
  std::vector<Eigen::Triplet<double>> entries;
  for (const Eigen::Index dof : others(interface, n))
    entries.emplace_back(static_cast<int>(dof), static_cast<int>(dof), 1.0);
  for (std::size_t i = 0; i < interface.size(); ++i)
    for (std::size_t j = 0; j < interface.size(); ++j)
      if (const double value = motion(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)); value != 0.0)
        entries.emplace_back(static_cast<int>(interface[i]), static_cast<int>(interface[j]), value);
  SparseMatrix basis(n, n);
  basis.setFromTriplets(entries.begin(), entries.end());
  return basis;
}

/// The only axis that moves interface DOF i, one to one; -1 if there is none.
Eigen::Index copyOf(Eigen::Index i, const Eigen::MatrixXd& motion) {
  for (Eigen::Index j = 0; j < motion.cols(); ++j)
    if (motion(i, j) == 1.0 && (motion.row(i).array() != 0.0).count() == 1) return j;
  return -1;
}

void transform(SystemMatrices& system, const std::vector<Eigen::Index>& interface, const Eigen::MatrixXd& motion,
               const std::vector<InterfaceAxis>& axes, Checks& checks) {
  const SparseMatrix basis = basisOf(system.size(), interface, motion), transposed = basis.transpose();
  for (const auto matrix : {&SystemMatrices::m, &SystemMatrices::c, &SystemMatrices::k})
    system.*matrix = transposed * (system.*matrix) * basis;
  for (const auto load : {&SystemMatrices::m_support, &SystemMatrices::c_support, &SystemMatrices::k_support})
    system.*load = (transposed * (system.*load)).eval();
  for (NonlinearLink& link : system.nonlinear)
    for (Eigen::Index* end : {&link.from, &link.to}) {
      const auto here = std::find(interface.begin(), interface.end(), *end);
      if (here == interface.end()) continue;
      const Eigen::Index axis = copyOf(here - interface.begin(), motion);
      if (axis < 0)
        checks.fault("/partition/actuators",
                     "combine " + ("\"" + system.dofs[static_cast<std::size_t>(*end)].name) +
                         "\" with other motions, but \"" + link.name +
                         "\" is nonlinear and ends there; give that degree of freedom an axis of its own");
      else
        *end = interface[static_cast<std::size_t>(axis)];
    }
  for (std::size_t i = 0; i < interface.size(); ++i)
    system.dofs[static_cast<std::size_t>(interface[i])] = {axes[i].name, axes[i].motion};
}

/// Offsets of the joints of axes that have them.
std::vector<ActuatorGeometry::Offset> jointOffsets(const std::vector<InterfaceAxis>& axes, const std::vector<Dof>& dofs,
                                                   const Eigen::MatrixXd& t, Checks& checks) {
  std::vector<ActuatorGeometry::Offset> offsets;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (!axes[i].joint_along_m) continue;
    const std::string where = "/partition/actuators/" + std::to_string(i) + "/joint_along_m";
    const auto row = static_cast<Eigen::Index>(i);
    std::vector<Eigen::Index> rotations;
    for (std::size_t d = 0; d < dofs.size(); ++d)
      if (dofs[d].motion == Motion::rotation && t(row, static_cast<Eigen::Index>(d)) != 0.0)
        rotations.push_back(static_cast<Eigen::Index>(d));
    if (!std::isfinite(*axes[i].joint_along_m)) checks.fault(where, "is not finite; give a number");
    if (rotations.size() != 1 || axes[i].motion != Motion::translation) {
      checks.fault(where,
                   "belongs to the joint of an actuator that moves along a line and takes part in one rotation, "
                   "but this axis has " +
                       std::to_string(rotations.size()) + "; correct its terms, or remove this");
      continue;
    }
    offsets.push_back({row, rotations.front(), t(row, rotations.front()), *axes[i].joint_along_m});
  }
  return offsets;
}

}  // namespace

Partition inActuatorAxes(const Partition& partition, const std::vector<InterfaceAxis>& axes) {
  if (axes.empty()) return partition;
  const std::string where = "/partition/actuators";
  const auto count = static_cast<Eigen::Index>(partition.interface.size());
  Checks checks;
  checkAxes(axes, where, checks);
  if (axes.size() != partition.interface.size())
    checks.fault(where, "has " + std::to_string(axes.size()) + " axes for " + std::to_string(count) +
                            " degrees of freedom of the interface; give one for each, or choose another cut");
  Eigen::MatrixXd t = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(axes.size()), count);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::string pointer = where + "/" + std::to_string(i);
    for (const auto& [name, factor] : axes[i].terms)
      if (const Eigen::Index dof = dofCalled(name, partition.interface, pointer + "/terms/" + name, checks); dof >= 0)
        t(static_cast<Eigen::Index>(i), dof) += factor;
    for (const Eigen::Index dof : others(partition.interface_in_reference, partition.reference.size()))
      if (partition.reference.dofs[static_cast<std::size_t>(dof)].name == axes[i].name)
        checks.fault(
            pointer + "/name",
            "\"" + axes[i].name + "\" is also the name of a degree of freedom inside the structure; use another name");
  }
  checks.throwIfAny();
  const Eigen::MatrixXd unmoved = nullMotions(t);
  for (const auto& motion : unmoved.colwise())
    checks.fault(where, "do not move " + motionText(motion, partition.interface) +
                            "; change the terms so that the axes are independent");
  checks.throwIfAny();

  Partition result = partition;
  const Eigen::MatrixXd motion = linalg::inverse(t);
  std::vector<ActuatorGeometry::Offset> offsets = jointOffsets(axes, partition.interface, t, checks);
  checks.throwIfAny();
  const auto basisIn = [&](const SystemMatrices& system, const std::vector<Eigen::Index>& interface) {
    return basisOf(system.size(), interface, motion);
  };
  const SparseMatrix reference = basisIn(partition.reference, partition.interface_in_reference),
                     numerical = basisIn(partition.numerical, partition.interface_in_numerical),
                     to_physical = basisOf(partition.physical.size(), partition.interface_in_physical, t);
  transform(result.reference, partition.interface_in_reference, motion, axes, checks);
  transform(result.numerical, partition.interface_in_numerical, motion, axes, checks);
  transform(result.physical, partition.interface_in_physical, motion, axes, checks);
  checks.throwIfAny();
  result.reference_loads = SparseMatrix(reference.transpose()) * partition.reference_loads;
  result.numerical_loads = SparseMatrix(numerical.transpose()) * partition.numerical_loads;
  result.physical_motion = to_physical * partition.physical_motion * reference;
  for (const auto matrix : {&LeftOut::m, &LeftOut::c, &LeftOut::k})
    result.left_out.*matrix = SparseMatrix(reference.transpose()) * (partition.left_out.*matrix) * reference;
  for (std::size_t i = 0; i < axes.size(); ++i) result.interface[i] = {axes[i].name, axes[i].motion};
  result.cut_dofs = partition.interface;
  result.motion_from_axes = motion;
  if (!offsets.empty()) result.geometry = ActuatorGeometry(motion, std::move(offsets));
  return result;
}

namespace {

/// `of_cut`: DOF of the cut as functions of the axes, [cut DOF, i].
SensorMap mapOf(const Partition& partition, const std::vector<InterfaceAxis>& sensors, const std::string& where,
                const std::string& what, const Eigen::MatrixXd& of_cut) {
  const auto count = static_cast<Eigen::Index>(partition.interface.size());
  if (sensors.empty()) return {Eigen::MatrixXd::Identity(count, count), Eigen::MatrixXd::Identity(count, count)};
  Checks checks;
  checkAxes(sensors, where, checks);
  std::vector<Dof> known = partition.interface;
  known.insert(known.end(), partition.cut_dofs.begin(), partition.cut_dofs.end());
  Eigen::MatrixXd of_known = Eigen::MatrixXd::Identity(static_cast<Eigen::Index>(known.size()), count);
  if (!partition.cut_dofs.empty()) of_known.bottomRows(of_known.rows() - count) = of_cut;
  SensorMap map;
  map.readings = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(sensors.size()), count);
  for (std::size_t i = 0; i < sensors.size(); ++i)
    for (const auto& [name, factor] : sensors[i].terms)
      if (const Eigen::Index at = dofCalled(name, known, where + "/" + std::to_string(i) + "/terms/" + name, checks);
          at >= 0)
        map.readings.row(static_cast<Eigen::Index>(i)) += factor * of_known.row(at);
  checks.throwIfAny();
  const Eigen::MatrixXd unseen = nullMotions(map.readings);
  for (const auto& motion : unseen.colwise())
    checks.fault(where, "cannot determine the " + what + " " + motionText(motion, partition.interface) +
                            "; add a sensor that measures it, or move one");
  checks.throwIfAny();
  map.from_readings = linalg::pseudoInverse(map.readings);
  return map;
}

}  // namespace

SensorMap sensorMap(const Partition& partition, const std::vector<InterfaceAxis>& sensors) {
  return mapOf(partition, sensors, "/partition/sensors", "motion", partition.motion_from_axes);
}

SensorMap mapOfKind(const SensorMap& map, const std::vector<InterfaceAxis>& sensors, SensorKind kind) {
  SensorMap of_kind = map;
  for (std::size_t y = 0; y < sensors.size(); ++y)
    if (sensors[y].acceleration != (kind == SensorKind::acceleration))
      of_kind.readings.row(static_cast<Eigen::Index>(y)).setZero();
  of_kind.from_readings = linalg::pseudoInverse(of_kind.readings);
  return of_kind;
}

std::string untoldMotion(const SensorMap& map, const Partition& partition) {
  const Eigen::MatrixXd untold = nullMotions(map.readings);
  return untold.cols() > 0 ? motionText(untold.col(0), partition.interface) : std::string();
}

SensorMap motionMap(const Partition& partition, const std::vector<InterfaceAxis>& sensors) {
  SensorMap all = sensorMap(partition, sensors);
  if (!hasAccelerometer(sensors)) return all;
  SensorMap displacements = mapOfKind(all, sensors, SensorKind::displacement);
  return untoldMotion(displacements, partition).empty() ? displacements : all;
}

bool hasAccelerometer(const std::vector<InterfaceAxis>& sensors) {
  return std::any_of(sensors.begin(), sensors.end(), [](const InterfaceAxis& sensor) { return sensor.acceleration; });
}

SensorMap forceSensorMap(const Partition& partition, const std::vector<InterfaceAxis>& sensors) {
  if (!sensors.empty() && sensors.size() != partition.interface.size())
    throw InputError("/partition/force_sensors", "has " + std::to_string(sensors.size()) + " entries for " +
                                                     std::to_string(partition.interface.size()) +
                                                     " interface forces; give one for each");
  Eigen::MatrixXd of_cut;
  if (!partition.cut_dofs.empty()) of_cut = linalg::inverse(partition.motion_from_axes).transpose();
  return mapOf(partition, sensors, "/partition/force_sensors", "force", of_cut);
}

}  // namespace hyb
