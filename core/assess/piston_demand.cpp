#include "core/assess/piston_demand.h"

#include <algorithm>
#include <cmath>

#include "core/base/figure_text.h"
#include "core/coupling/uncut_structure.h"
#include "core/run/build.h"

namespace hyb {

void ExtremesBySpring::take(double a, double b) {
  points_.emplace_back(a, b);
  if (points_.size() >= reduce_at_) keepCorners();
}

double ExtremesBySpring::largest(double k) const {
  double largest = 0.0;
  for (const auto& [a, b] : points_) largest = std::max(largest, std::abs(a - b / k));
  return largest;
}

// Andrew's monotone chain: the lower half of the hull, then the upper half.
void ExtremesBySpring::keepCorners() {
  std::sort(points_.begin(), points_.end());
  points_.erase(std::unique(points_.begin(), points_.end()), points_.end());
  std::vector<std::pair<double, double>> corners;
  const auto turnsLeft = [&](const std::pair<double, double>& next) {
    const auto& [ax, ay] = corners[corners.size() - 2];
    const auto& [bx, by] = corners.back();
    return (bx - ax) * (next.second - ay) - (by - ay) * (next.first - ax) > 0.0;
  };
  const auto walk = [&](auto from, auto to) {
    const std::size_t first = corners.size();
    for (; from != to; ++from) {
      while (corners.size() >= first + 2 && !turnsLeft(*from)) corners.pop_back();
      corners.push_back(*from);
    }
    corners.pop_back();  // the other half starts with it
  };
  if (points_.size() > 2) {
    walk(points_.begin(), points_.end());
    walk(points_.rbegin(), points_.rend());
    points_ = std::move(corners);
  }
  reduce_at_ = 2 * points_.size() + 4096;
}

void PistonPath::take(double specimen_m, double force_n) {
  places_.take(specimen_m, force_n);
  steps_.take(specimen_m - last_m_, force_n - last_n_);
  force_n_ = std::max(force_n_, std::abs(force_n));
  last_m_ = specimen_m;
  last_n_ = force_n;
  motion_square_ += specimen_m * specimen_m;
  product_ += specimen_m * force_n;
  force_square_ += force_n * force_n;
  ++ticks_;
}

PistonDemand PistonPath::behind(double spring_n_per_m) const {
  return {dof_, places_.largest(spring_n_per_m), steps_.largest(spring_n_per_m) / step_s_, force_n_};
}

double PistonPath::rms_m(double k) const {
  const double square = motion_square_ - 2.0 * product_ / k + force_square_ / (k * k);
  return ticks_ > 0.0 ? std::sqrt(std::max(0.0, square) / ticks_) : 0.0;
}

std::vector<PistonPath> pistonPaths(const Project& project, const Partition& partition) {
  const std::size_t count = partition.interface.size();
  if (project.coupling->springs(count).size() == 0 || !project.twin.laws.empty()) return {};
  const double step_s = 1.0 / project.loop.rate_hz, whole_s = project.loop.excitation_s();
  const Excitation excitation = buildExcitation(project, partition);
  ExcitationValue now = excitation.zero();
  UncutStructure uncut(project.integrator, partition, step_s, now);
  Eigen::VectorXd force = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(count));
  std::vector<PistonPath> paths;
  for (const Dof& dof : partition.interface) paths.emplace_back(dof.name, step_s);
  const double end_s = whole_s > 0.0 ? std::min(whole_s, kPistonDemand_s) : kPistonDemand_s;
  const auto ticks = static_cast<std::int64_t>(end_s * project.loop.rate_hz);
  for (std::int64_t k = 1; k <= ticks; ++k) {
    const double t = static_cast<double>(k) * step_s;
    const SignalValue fade = excitationFade(project.loop, t, t);
    excitation.at(t, fade.value, fade.rate, now);
    uncut.step(now);
    uncut.physicalForce(force);
    for (std::size_t i = 0; i < count; ++i) paths[i].take(uncut.interface(i), force[static_cast<Eigen::Index>(i)]);
  }
  return paths;
}

std::vector<PistonDemand> pistonDemand(const Project& project, const Partition& partition) {
  const std::vector<PistonPath> paths = pistonPaths(project, partition);
  const Eigen::VectorXd springs = project.coupling->springs(partition.interface.size());
  std::vector<PistonDemand> demand;
  for (std::size_t i = 0; i < paths.size(); ++i)
    demand.push_back(paths[i].behind(springs[static_cast<Eigen::Index>(i)]));
  return demand;
}

PistonLimits pistonLimits(const Project& project, std::size_t i) {
  const std::vector<ActuatorSpec>& actuators = project.twin.actuators;
  const ActuatorSpec& actuator = actuators[actuators.size() == 1 ? 0 : i];
  PistonLimits limits{actuator.stroke_m, actuator.velocity_limit_m_per_s, actuator.force_limit_n};
  const auto count = static_cast<Eigen::Index>(project.axes.size());
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(count),
                        moved = Eigen::VectorXd::Unit(count, static_cast<Eigen::Index>(i));
  const double one = 1.0;
  // The quantity tells which of the three a limit is on: it reads a piston that has only this one.
  const auto sampleOf = [&](bool stroke, bool velocity, bool force) {
    SafetySample sample;
    sample.command = sample.measured = stroke ? &moved : &rest;
    sample.command_rate = sample.velocity = velocity ? &moved : &rest;
    sample.command_step = &rest;
    sample.force = force ? &moved : &rest;
    if (stroke) sample.further = {&one, 1};
    return sample;
  };
  const SafetySample stroke = sampleOf(true, false, false), velocity = sampleOf(false, true, false),
                     force = sampleOf(false, false, true);
  for (const Limit& limit : project.limits) {
    const bool of_piston = limit.quantity->of_column && limit.channel == columnName(ColumnRole::piston_target, i);
    if (limit.action <= Action::indicate || !(of_piston || limit.covers(static_cast<int>(i) + 1, project.axes[i])))
      continue;
    const auto bound = [&](const SafetySample& sample, double& most) {
      const LimitQuantity& quantity = *limit.quantity;
      if (quantity.ofAxis() ? sample.*quantity.values == &moved : quantity.read(sample, 0) > 0.0)
        most = std::min(most, limit.threshold);
    };
    bound(stroke, limits.stroke_m);
    bound(velocity, limits.velocity_m_per_s);
    bound(force, limits.force_n);
  }
  return limits;
}

std::vector<std::string> beyondActuators(const std::vector<PistonDemand>& demand,
                                         const std::vector<ActuatorSpec>& actuators, const std::string& stiffer) {
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < demand.size(); ++i) {
    const PistonDemand& one = demand[i];
    const ActuatorSpec& actuator = actuators[actuators.size() == 1 ? 0 : i];
    const auto compare = [&](double needed, double there, double factor, const char* unit, const std::string& what,
                             const std::string& remedy) {
      if (needed <= there) return;
      sentences.push_back("The piston of " + one.dof + " would need " + figureText(factor * needed) + " " + unit +
                          " of " + what + " and has " + figureText(factor * there) + " " + unit + ": " + remedy + ".");
    };
    compare(one.stroke_m, actuator.stroke_m, 1e3, "mm", "stroke", stiffer);
    compare(one.velocity_m_per_s, actuator.velocity_limit_m_per_s, 1e3, "mm/s", "velocity", stiffer);
    compare(one.force_n, actuator.force_limit_n, 1.0, "N", "force",
            "reduce the excitation, or use a stronger actuator");
  }
  return sentences;
}

}  // namespace hyb
