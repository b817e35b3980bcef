#pragma once
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/project/project.h"

namespace hyb {

constexpr double kPistonDemand_s = 120.0;  // only the beginning of a longer test is analysed

/// Demand on a piston in a test with force targets: peaks.
struct PistonDemand {
  std::string dof;  // of its interface
  double stroke_m = 0.0, velocity_m_per_s = 0.0, force_n = 0.0;
};

/// Values a - b/k of a signal, stored so that the largest magnitude is known for every k > 0. It always lies on a
/// corner of the convex hull of the points (a, b).
class ExtremesBySpring {
 public:
  void take(double a, double b);
  double largest(double k) const;

 private:
  void keepCorners();
  std::vector<std::pair<double, double>> points_;
  std::size_t reduce_at_ = 4096;
};

/// Path of one piston over a test, without its spring: motion x of the specimen and force F at the interface, tick by
/// tick. Behind a spring k the piston moves to x - F/k.
class PistonPath {
 public:
  PistonPath(std::string dof, double step_s) : dof_(std::move(dof)), step_s_(step_s) {}
  void take(double specimen_m, double force_n);
  PistonDemand behind(double spring_n_per_m) const;
  /// RMS of its motion, m.
  double rms_m(double spring_n_per_m) const;

 private:
  std::string dof_;
  double step_s_, last_m_ = 0.0, last_n_ = 0.0, force_n_ = 0.0;
  ExtremesBySpring places_, steps_;
  double motion_square_ = 0.0, product_ = 0.0, force_square_ = 0.0, ticks_ = 0.0;
};

/// For each piston, with the forces of the uncut structure under the project's excitation (its first two minutes).
/// Empty if the scheme has no force targets, or if the uncut structure is incomplete (laws of the specimen). Throws
/// InputError if the project cannot be built, for example without its ground motion.
std::vector<PistonPath> pistonPaths(const Project& project, const Partition& partition);
/// The same with the springs of the scheme.
std::vector<PistonDemand> pistonDemand(const Project& project, const Partition& partition);

/// Limits of a piston, each infinite if unlimited.
struct PistonLimits {
  double stroke_m = std::numeric_limits<double>::infinity();
  double velocity_m_per_s = std::numeric_limits<double>::infinity();
  double force_n = std::numeric_limits<double>::infinity();
};
/// For piston i: limits of its actuator, and limits of the project that hold or end the test. A limit on the command
/// counts as if the piston followed the command exactly.
PistonLimits pistonLimits(const Project& project, std::size_t i);

/// Demands that exceed the actuators, one sentence each; `remedy` for stroke and velocity.
std::vector<std::string> beyondActuators(const std::vector<PistonDemand>& demand,
                                         const std::vector<ActuatorSpec>& actuators,
                                         const std::string& remedy = "use a stiffer spring, or reduce the excitation");

}  // namespace hyb
