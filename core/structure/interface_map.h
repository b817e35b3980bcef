#pragma once
#include "core/structure/partition.h"

namespace hyb {

/// Interface in actuator axes, a = T q: replaces the interface DOF of all three systems by `axes`, q = T^-1 a, forces
/// f_a = T^-T f_q. Fills cut_dofs and motion_from_axes; remarks of left_out stay in the DOF of the cut. Without axes:
/// the unchanged partition. Throws InputError ("/partition/actuators/..."): unknown DOF, number of axes differs from
/// that of interface DOF, names given twice or already used, T singular (names the motion that no actuator moves),
/// nonlinear links to a DOF that is not an axis of its own, a joint position without exactly one rotation.
Partition inActuatorAxes(const Partition& partition, const std::vector<InterfaceAxis>& axes);

/// Interface motion from more readings than DOF by least squares: a = S^+ y. All readings have the same weight in their
/// own units.
struct SensorMap {
  Eigen::MatrixXd readings;       // S [y, i]
  Eigen::MatrixXd from_readings;  // S^+ [i, y]
};
/// Terms name actuator axes, or DOF of the cut. Without sensors: one for each axis. An accelerometer is treated as the
/// sensor of its reading integrated twice. Throws InputError ("/partition/sensors/..."): unknown names, names given
/// twice, or a motion that the sensors cannot determine (named).
SensorMap sensorMap(const Partition& partition, const std::vector<InterfaceAxis>& sensors);
/// The map of the displacement sensors or of the accelerometers only. Rows and columns of the others are 0, and so are
/// motions that it cannot determine.
enum class SensorKind : bool { displacement, acceleration };
SensorMap mapOfKind(const SensorMap& map, const std::vector<InterfaceAxis>& sensors, SensorKind kind);
/// The map that counts as motion: displacement sensors only if they determine all of it, because their readings have
/// neither the steps nor the noise of an acceleration; otherwise all sensors.
SensorMap motionMap(const Partition& partition, const std::vector<InterfaceAxis>& sensors);
/// A motion that a map cannot determine ("z1 - z2"); empty if it determines all.
std::string untoldMotion(const SensorMap& map, const Partition& partition);
bool hasAccelerometer(const std::vector<InterfaceAxis>& sensors);

/// The same for force sensors: the reading of each for a specimen at rest, as a sum of the forces of the PS on the NS
/// along the axes or the DOF of the cut (a gauge at a distance d along a beam: -d of its shear force, 1 of its moment).
/// f = G^-1 m, with as many sensors as interface DOF. Pointers under "/partition/force_sensors".
SensorMap forceSensorMap(const Partition& partition, const std::vector<InterfaceAxis>& sensors);

}  // namespace hyb
