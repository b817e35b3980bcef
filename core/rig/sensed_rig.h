#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/rig/rig.h"
#include "core/structure/interface_map.h"

namespace hyb {

/// Sensors of one kind, and how they read the interface; without any, each axis has its own.
struct InterfaceSensors {
  SensorMap map;
  std::vector<InterfaceAxis> sensors = {};  // as many as map.readings has rows, or none
};

/// How motion and force of an interface are made from sensors.
struct InterfaceSensing {
  InterfaceSensors motions, forces;
  std::vector<int> orders = {};  // of the harmonics that commands are sums of, ascending; empty: they are none
  /// [i, y]: of the axes, from the readings of accelerometers; empty: from the harmonics of the motion.
  Eigen::MatrixXd accelerations = {};
  Eigen::MatrixXd fixture_kg = {}, fixture_n_per_m = {};  // [i, i]: taken out of the forces; empty: nothing is
};

/// A rig whose interface motion comes from sensors of motion: x = S^+ y, least squares, and whose forces from force
/// sensors: f = G^-1 m. The rig beneath counts sensors of motion: its measured is y, sensor by sensor; its forces
/// are m; its commands are those of the actuators, of which there are no more than sensors; those beyond are 0.
///
/// - An accelerometer counts in S^+ as what it reads integrated twice, harmonic by harmonic of the command
///   (harmonic_observer.h): right once some periods are over. One whose row of S is 0 does not count.
/// - A rigid fixture between load cells and specimen is taken out by its dynamics, f = G^-1 m + M x'' + K x, with x''
///   from accelerometers or, harmonic by harmonic, from x.
/// - Further columns, behind those of the rig beneath: sensor_<i>, what each sensor of motion reads, and
///   sensor_residual, the largest |y - S x|: how far they contradict each other; force_sensor_<i>.
/// - What was read becomes RigState::readings: y, then m.
/// - A reading that is not a number makes every motion (or force) none, and failure() names the sensor.
/// - Faults on purpose of sensors of motion, injected beneath, are those of the sensor with that number.
std::unique_ptr<Rig> makeSensedRig(std::unique_ptr<Rig> rig, InterfaceSensing sensing, double step_s);

/// SI unit of what a sensor of motion reads, by that of the motion: "m/s^2".
std::string motionUnit(std::string_view of_motion, bool acceleration);
/// Its own further columns.
std::vector<Channel> sensedChannels(const std::vector<InterfaceAxis>& sensors,
                                    const std::vector<InterfaceAxis>& force_sensors);

}  // namespace hyb
