#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/structure/section.h"
#include "core/transfer/actuator.h"
#include "core/transfer/sensor_filter.h"
#include "core/transfer/specimen_law.h"

namespace hyb {

/// PS on the rig = model of the PS times these factors (1 = as modelled).
struct SpecimenParams {
  double mass_factor = 1.0, damping_factor = 1.0, stiffness_factor = 1.0;
};

/// White noise, then saturation at +-range, then quantisation to `bits` over 2 * range.
struct SensorParams {
  double noise_rms = 0.0;  // m or N
  double range = std::numeric_limits<double>::infinity();
  int bits = 0;  // 0 = no quantisation
};

/// Strain gauge on the specimen: the bending moment across a section, behind low-passes, with white noise and hum.
struct MomentSensor {
  std::string name;        // the force sensor of the partition that it is
  double station_m = 0.0;  // of the section, from the interface along +x
  double noise_rms_n_m = 0.0;
  std::vector<LowPassSpec> filters;
  double hum_n_m = 0.0, hum_hz = 50.0, hum_deg = 0.0;  // hum_n_m sin(2 pi hum_hz t + hum_deg), t since it was opened
  std::size_t reading = 0;                             // which of the force readings
  SectionForce section;                                // over the DOF of the specimen as it is reduced
};

/// How the twin is taken from tick to tick.
enum class TwinSolver : std::uint8_t {
  exact,  // by the matrix exponential
  rk4,    // by one step of the classical Runge-Kutta scheme, which damps what is fast beside the tick
};

/// What joins actuators and specimen: it moves with the interface, and stands in neither substructure.
struct FixtureParams {
  Eigen::MatrixXd mass_kg;            // [i, i] in the axes of the actuators, symmetric; empty: none
  Eigen::MatrixXd stiffness_n_per_m;  // likewise, of springs between it and the ground
  bool load_cell_beneath = false;  // between actuator and fixture, so that the force read holds the fixture's inertia
  bool taken_out = false;          // of that force, by its acceleration and motion: what is told is the specimen's
  bool tracked = true;             // actuators go after targets: what analyses of that know of it must be enough

  bool isRead() const noexcept { return load_cell_beneath && !taken_out; }
};

struct TwinParams {
  std::vector<ActuatorSpec> actuators;  // one per interface DOF, or one for all
  SpecimenParams specimen;
  std::vector<SpecimenLawSpec> laws;  // beside the specimen's linear model
  FixtureParams fixture;
  SensorParams displacement_sensor, force_sensor, accelerometer;
  Eigen::MatrixXd readings;  // S [y, i]: displacement sensors y = S x, more of them than axes; empty: one for each axis
  std::vector<char> accelerometers;   // [y]: it reads S x'' in place of that; empty: none does
  Eigen::MatrixXd force_readings;     // G [i, i]: force sensors f = G f; empty: one for each axis
  std::vector<MomentSensor> moments;  // what those that are gauges inside the specimen read in place of that
  TwinSolver solver = TwinSolver::exact;
  std::uint64_t seed = 1;
};

}  // namespace hyb
