#include "core/assess/rest.h"

#include <algorithm>
#include <cmath>

#include "core/base/figure_text.h"
#include "core/base/numbers.h"

namespace hyb {

AxisReading restOf(const Project& project, std::size_t i) {
  constexpr double kShareOfLimit = 0.01, kLeastForce_n = 1.0;
  const AxisSignals& axis = project.axes[i];
  AxisReading rest{project.analysis.gap_tolerance.motion, project.analysis.gap_tolerance.force};
  if (rest.force > 0.0) return rest;
  double allowed_n = 0.0;
  for (const Limit& limit : project.limits)
    if (limit.quantity->name == "force" && limit.covers(static_cast<int>(i) + 1, axis))
      allowed_n = allowed_n > 0.0 ? std::min(allowed_n, limit.threshold) : limit.threshold;
  rest.force = allowed_n > 0.0 ? kShareOfLimit * allowed_n : kLeastForce_n;
  return rest;
}

std::vector<AxisReading> interfaceReadings(const Project& project, const std::vector<AxisReading>& actuators) {
  if (!project.rig.geometry) return actuators;
  const RigGeometry& geometry = *project.rig.geometry;
  if (actuators.size() != geometry.legs.size()) return {};
  std::vector<AxisReading> axes(geometry.axes.size(), {kNoValue, kNoValue});
  LegValues lengths, cells = LegValues::Zero(geometry.count());
  legLengths(geometry, Pose::Zero(), lengths);
  for (Eigen::Index l = 0; l < geometry.count(); ++l) {
    const AxisReading& leg = actuators[static_cast<std::size_t>(l)];
    lengths[l] += leg.motion;
    cells[l] = leg.force;
  }
  Pose pose = Pose::Zero();
  if (!lengths.allFinite() || !poseOfLegs(geometry, lengths, pose)) return axes;
  LegMatrix jacobian;
  legJacobian(geometry, pose, jacobian);
  const LegValues forces = forcesOnMoves(geometry, pose, jacobian, cells);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto move = std::ranges::find(geometry.moves, geometry.axes[i]) - geometry.moves.begin();
    axes[i] = {pose[static_cast<Eigen::Index>(geometry.axes[i])], forces[move]};
  }
  return axes;
}

std::vector<std::string> awayFromRest(const Project& project, const std::vector<AxisReading>& readings) {
  std::vector<std::string> away;
  for (std::size_t i = 0; i < std::min(readings.size(), project.axes.size()); ++i) {
    const AxisReading rest = restOf(project, i), &now = readings[i];
    if (!(std::abs(now.motion) > rest.motion) && !(std::abs(now.force) > rest.force)) continue;
    std::string text = "interface " + std::to_string(i + 1) + ":";
    const auto add = [&](double value, SignalKind kind) {
      if (std::isnan(value)) return;
      text += (text.back() == ':' ? " " : ", ") + quantityText(value, facts(kind).unit);
    };
    add(now.motion, project.axes[i].motion);
    add(now.force, project.axes[i].force());
    away.push_back(std::move(text));
  }
  return away;
}

}  // namespace hyb
