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
  QString unit, help;   // help: text of the tooltip
  bool number = false;  // takes numbers
};

/// Numbers, switches, choices and files of a project, including defaults, in the order of the schema. Long lists give
/// their first entries only.
std::vector<Place> placesOf(const Json& project);

/// Pointers to the same value in every entry of the list in `pointer`: "/rig/actuators/0/delay_s" gives the delays of
/// all actuators. Only `pointer` itself if it contains no list, or if no other entry has the value.
std::vector<std::string> alikeOf(const Json& project, const std::string& pointer);

}  // namespace hyb::ui
