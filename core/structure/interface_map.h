#pragma once
#include "core/structure/partition.h"

namespace hyb {

/// Interface in actuator axes, a = T q: replaces the interface DOF of all three systems by `axes`, q = T^-1 a, forces
/// f_a = T^-T f_q. Throws InputError ("/partition/actuators/..."): unknown DOF, not as many as interface DOF, T
/// singular (names the motion that no actuator moves).
Partition inActuatorAxes(const Partition& partition, const std::vector<InterfaceAxis>& axes);

/// Interface motion from more readings than DOF by least squares: a = S^+ y. Throws InputError
/// ("/partition/sensors/...") where the sensors cannot tell a motion: names its null vector.
struct SensorMap {
  Eigen::MatrixXd readings;       // S [y, i]
  Eigen::MatrixXd from_readings;  // S^+ [i, y]
};
SensorMap sensorMap(const Partition& partition, const std::vector<InterfaceAxis>& sensors);

}  // namespace hyb
