#include "core/assess/piston_demand.h"

#include <algorithm>
#include <cmath>

#include "core/coupling/uncut_structure.h"
#include "core/figure.h"
#include "core/run/build.h"

namespace hyb {

std::vector<PistonDemand> pistonDemand(const Project& project, const Partition& partition) {
  const std::size_t count = partition.interface.size();
  const Eigen::VectorXd springs = project.coupling->springs(count);
  if (springs.size() == 0 || !project.twin.laws.empty()) return {};
  const double step_s = 1.0 / project.loop.rate_hz, whole_s = project.loop.excitation_s();
  const Excitation excitation = buildExcitation(project, partition);
  ExcitationValue now = excitation.zero();
  UncutStructure uncut(project.integrator, partition, step_s);
  Eigen::VectorXd force = Eigen::VectorXd::Zero(springs.size()), piston = force, last = force;
  std::vector<PistonDemand> demand(count);
  for (std::size_t i = 0; i < count; ++i) demand[i].dof = partition.interface[i].name;
  const double end_s = whole_s > 0.0 ? std::min(whole_s, kPistonDemand_s) : kPistonDemand_s;
  const auto ticks = static_cast<std::int64_t>(end_s * project.loop.rate_hz);
  for (std::int64_t k = 1; k <= ticks; ++k) {
    const double t = static_cast<double>(k) * step_s;
    const SignalValue fade = excitationFade(project.loop, t, t);
    excitation.at(t, fade.value, fade.rate, now);
    uncut.step(now);
    uncut.physicalForce(force);
    last = piston;
    for (std::size_t i = 0; i < count; ++i) {
      const auto e = static_cast<Eigen::Index>(i);
      piston[e] = uncut.interface(i) - force[e] / springs[e];
      PistonDemand& one = demand[i];
      one.stroke_m = std::max(one.stroke_m, std::abs(piston[e]));
      one.velocity_m_per_s = std::max(one.velocity_m_per_s, std::abs(piston[e] - last[e]) / step_s);
      one.force_n = std::max(one.force_n, std::abs(force[e]));
    }
  }
  return demand;
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
    compare(one.force_n, actuator.force_limit_n, 1.0, "N", "force", "take less excitation, or a stronger actuator");
  }
  return sentences;
}

}  // namespace hyb
