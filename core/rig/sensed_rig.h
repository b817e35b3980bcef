#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/rig/rig.h"
#include "core/structure/interface_map.h"

namespace hyb {

/// Sensors of one kind, and their readings of the interface; without any, each axis has its own.
struct InterfaceSensors {
  SensorMap map;
  std::vector<InterfaceAxis> sensors = {};  // as many as map.readings has rows, or none
};

/// Reconstruction of motion and force of an interface from sensors.
struct InterfaceSensing {
  InterfaceSensors motions, forces;
  std::vector<int> orders = {};  // harmonics of the commands, ascending; empty: commands are not sums of harmonics
  /// [i, y]: accelerations of the axes from the readings of accelerometers; empty: from the harmonics of the motion.
  Eigen::MatrixXd accelerations = {};
  Eigen::MatrixXd fixture_kg = {}, fixture_n_per_m = {};  // [i, i]: removed from the forces; empty: nothing is removed
};

/// A rig that determines the interface motion from motion sensors, x = S^+ y, least squares, and the forces from force
/// sensors, f = G^-1 m. The channels of the inner rig are sensors: its measured is y; its forces are m; its commands
/// are those of the actuators. There are no more actuators than sensors; commands beyond them are 0.
///
/// - The reading of an accelerometer is integrated twice for S^+, harmonic by harmonic of the command
///   (harmonic_observer.h). It is correct after a few periods. An accelerometer with a zero row in S is not used.
/// - The dynamics of a rigid fixture between load cells and specimen are removed, f = G^-1 m + M x'' + K x, with x''
///   from accelerometers or, harmonic by harmonic, from x.
/// - Further columns, after those of the inner rig: `sensor_<i>`, the reading of each motion sensor; sensor_residual,
/// the
///   largest |y - S x|, which is the contradiction between the sensors; `force_sensor_<i>`.
/// - RigState::readings contains y, followed by m.
/// - If a reading is NaN, every motion (or force) is NaN, and failure() names the sensor.
/// - Deliberate faults of motion sensors, injected in the inner rig, affect the sensor with that number.
std::unique_ptr<Rig> makeSensedRig(std::unique_ptr<Rig> rig, InterfaceSensing sensing, double step_s);

/// SI unit of the reading of a motion sensor, from that of the motion: "m/s^2".
std::string motionUnit(std::string_view of_motion, bool acceleration);
/// Further columns of this rig itself.
std::vector<Channel> sensedChannels(const std::vector<InterfaceAxis>& sensors,
                                    const std::vector<InterfaceAxis>& force_sensors);

}  // namespace hyb
