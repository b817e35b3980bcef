#pragma once
#include <QString>
#include <string>
#include <vector>

#include "core/project/project.h"

namespace hyb::ui {

/// A value of the project that a campaign can vary.
struct Place {
  std::string pointer;
  QString title;        // "Rig › Actuator 1 › Delay"
  QString unit, help;   // help: what a tooltip says
  bool number = false;  // takes numbers
};

/// Numbers, switches, choices and files of a project, those it leaves at their default among them, in the order of the
/// schema; of long lists the first entries only.
std::vector<Place> placesOf(const Json& project);

/// The same value of every entry of the list that `pointer` goes through: "/rig/actuators/0/delay_s" gives that of all
/// actuators. `pointer` alone where it goes through none, or only it exists.
std::vector<std::string> alikeOf(const Json& project, const std::string& pointer);

}  // namespace hyb::ui
