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

/// PS on the rig = model of the PS times these factors (1: as modelled).
struct SpecimenParams {
  double mass_factor = 1.0, damping_factor = 1.0, stiffness_factor = 1.0;
};

/// White noise, then saturation at +-range, then quantisation to `bits` over 2 * range.
struct SensorParams {
  double noise_rms = 0.0;  // m or N
  double range = std::numeric_limits<double>::infinity();
  int bits = 0;  // 0: no quantisation
};

/// Strain gauge on the specimen: the bending moment across a section, after low-passes, with white noise and hum.
struct MomentSensor {
  std::string name;        // the force sensor of the partition that it represents
  double station_m = 0.0;  // of the section, from the interface along +x
  double noise_rms_n_m = 0.0;
  std::vector<LowPassSpec> filters;
  double hum_n_m = 0.0, hum_hz = 50.0, hum_deg = 0.0;  // hum_n_m sin(2 pi hum_hz t + hum_deg), t since open()
  std::size_t reading = 0;                             // index of the force reading
  SectionForce section;                                // over the DOF of the reduced specimen
};

/// Integration of the twin from tick to tick.
enum class TwinSolver : std::uint8_t {
  exact,  // by the matrix exponential
  rk4,    // by one step of the classical Runge-Kutta scheme, which damps motions that are fast relative to the tick
};

/// Part between actuators and specimen: it moves with the interface and belongs to neither substructure.
struct FixtureParams {
  Eigen::MatrixXd mass_kg;            // [i, i] in the axes of the actuators, symmetric; empty: none
  Eigen::MatrixXd stiffness_n_per_m;  // of springs between it and the ground, as mass_kg
  bool load_cell_beneath =
      false;  // between actuator and fixture, so that the measured force contains the fixture's inertia
  bool taken_out =
      false;            // removed from that force, by its acceleration and motion: the result is the specimen's force
  bool tracked = true;  // actuators follow targets: analyses must represent the fixture

  bool isRead() const noexcept { return load_cell_beneath && !taken_out; }
};

struct TwinParams {
  std::vector<ActuatorSpec> actuators;  // one per interface DOF, or one for all
  SpecimenParams specimen;
  std::vector<SpecimenLawSpec> laws;  // in addition to the specimen's linear model
  FixtureParams fixture;
  SensorParams displacement_sensor, force_sensor, accelerometer;
  bool common_noise = false;         // all displacement sensors have the same noise
  Eigen::MatrixXd readings;          // S [y, i]: displacement sensors y = S x, more than axes; empty: one for each axis
  std::vector<char> accelerometers;  // [y]: it reads S x'' instead; empty: none does
  Eigen::MatrixXd force_readings;    // G [i, i]: force sensors f = G f; empty: one for each axis
  std::vector<MomentSensor>
      moments;  // readings of force sensors that are gauges inside the specimen, instead of forces
  TwinSolver solver = TwinSolver::exact;
  std::uint64_t seed = 1;
};

}  // namespace hyb
