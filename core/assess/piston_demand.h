#pragma once
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/project/project.h"

namespace hyb {

constexpr double kPistonDemand_s = 120.0;  // of a longer test the beginning alone is looked at

/// What a piston has to do in a test that asks for forces: peaks.
struct PistonDemand {
  std::string dof;  // of its interface
  double stroke_m = 0.0, velocity_m_per_s = 0.0, force_n = 0.0;
};

/// Values a - b/k that a signal takes, kept so that the largest magnitude is known for every k > 0: it is taken on a
/// corner of the convex hull of the points (a, b), whatever k is.
class ExtremesBySpring {
 public:
  void take(double a, double b);
  double largest(double k) const;

 private:
  void keepCorners();
  std::vector<std::pair<double, double>> points_;
  std::size_t reduce_at_ = 4096;
};

/// What one piston has to bring up over a test, without its spring: motion x of the specimen and force F as the
/// interface has it, tick by tick. Behind a spring k the piston goes to x - F/k.
class PistonPath {
 public:
  PistonPath(std::string dof, double step_s) : dof_(std::move(dof)), step_s_(step_s) {}
  void take(double specimen_m, double force_n);
  PistonDemand behind(double spring_n_per_m) const;
  /// Root mean square of its motion, m.
  double rms_m(double spring_n_per_m) const;

 private:
  std::string dof_;
  double step_s_, last_m_ = 0.0, last_n_ = 0.0, force_n_ = 0.0;
  ExtremesBySpring places_, steps_;
  double motion_square_ = 0.0, product_ = 0.0, force_square_ = 0.0, ticks_ = 0.0;
};

/// Of each piston, with every force as it is in the uncut structure under the project's excitation (its first two
/// minutes). Empty where the scheme asks for no forces, or where the uncut structure is not the whole truth (laws of
/// the specimen). Throws InputError where the project cannot be built, as for a ground motion that is not there.
std::vector<PistonPath> pistonPaths(const Project& project, const Partition& partition);
/// The same with the springs as the scheme knows them.
std::vector<PistonDemand> pistonDemand(const Project& project, const Partition& partition);

/// What a piston has, each infinite where nothing bounds it.
struct PistonLimits {
  double stroke_m = std::numeric_limits<double>::infinity();
  double velocity_m_per_s = std::numeric_limits<double>::infinity();
  double force_n = std::numeric_limits<double>::infinity();
};
/// Of piston i: what its actuator is able to, and where a limit of the project ends the test or holds it; a limit on
/// the command counts as if the piston followed it.
PistonLimits pistonLimits(const Project& project, std::size_t i);

/// What of it the actuators cannot do, one sentence each; `remedy` of stroke and velocity.
std::vector<std::string> beyondActuators(const std::vector<PistonDemand>& demand,
                                         const std::vector<ActuatorSpec>& actuators,
                                         const std::string& remedy = "take a stiffer spring, or less excitation");

}  // namespace hyb
