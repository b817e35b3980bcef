#pragma once
#include <string>
#include <vector>

#include "core/project/project.h"

namespace hyb {

/// Position of an actuator. Actuators, channels and columns of a run file have the same numbers, from 1.
struct ActuatorPlace {
  std::string name;                   // of its axis: the interface DOF, or what /partition/actuators calls it
  std::string moves;                  // interface DOF that it moves: "m1", "B.y - 0.04 B.rotation"
  std::string model;                  // of the twin: "servo"
  std::vector<std::string> channels;  // channels of the rig with its command, motion and force
};
/// [i], in the order of the cut. Throws InputError as buildPartition() does.
std::vector<ActuatorPlace> actuatorPlaces(const Project& project);
/// "1 on m1, 2 on m2"
std::string placesText(const std::vector<ActuatorPlace>& places);

}  // namespace hyb
