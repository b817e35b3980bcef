#pragma once
#include "core/structure/partition.h"

namespace hyb {

/// Interface in actuator axes, a = T q: replaces the interface DOF of all three systems by `axes`, q = T^-1 a, forces
/// f_a = T^-T f_q. Fills cut_dofs and motion_from_axes; remarks of left_out stay in the DOF of the cut. No axes: the
/// partition as it is. Throws InputError ("/partition/actuators/..."): unknown DOF, not as many as interface DOF, names
/// given twice or taken, T singular (names the motion that no actuator moves), nonlinear links to a DOF that is no axis
/// by itself.
Partition inActuatorAxes(const Partition& partition, const std::vector<InterfaceAxis>& axes);

/// Interface motion from more readings than DOF by least squares: a = S^+ y. Each reading weighs alike in its own unit.
struct SensorMap {
  Eigen::MatrixXd readings;       // S [y, i]
  Eigen::MatrixXd from_readings;  // S^+ [i, y]
};
/// Terms name actuator axes, or DOF of the cut. No sensors: one for each axis. Accelerometers count as what they read
/// once it is integrated twice. Throws InputError ("/partition/sensors/..."): unknown names, names given twice, or
/// where the sensors cannot tell a motion: names it.
SensorMap sensorMap(const Partition& partition, const std::vector<InterfaceAxis>& sensors);
/// What of it the displacement sensors tell alone, or the accelerometers: rows and columns of the others are 0, and so
/// is a motion that is not told.
enum class SensorKind : bool { displacement, acceleration };
SensorMap mapOfKind(const SensorMap& map, const std::vector<InterfaceAxis>& sensors, SensorKind kind);
/// Of it, what counts as motion: the displacement sensors alone where they tell all of it, whose readings have neither
/// the steps nor the noise of an acceleration; else all sensors.
SensorMap motionMap(const Partition& partition, const std::vector<InterfaceAxis>& sensors);
/// A motion that a map cannot tell, in words ("z1 - z2"); empty: it tells all.
std::string untoldMotion(const SensorMap& map, const Partition& partition);
bool hasAccelerometer(const std::vector<InterfaceAxis>& sensors);

/// The same for force sensors: what each reads of a specimen at rest, as a sum of the forces of the PS on the NS along
/// the axes or the DOF of the cut (a gauge at a distance d along a beam: -d of its shear force, 1 of its moment).
/// f = G^-1 m: as many as there are interface DOF. Places under "/partition/force_sensors".
SensorMap forceSensorMap(const Partition& partition, const std::vector<InterfaceAxis>& sensors);

}  // namespace hyb
