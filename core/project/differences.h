#pragma once
#include <string>
#include <vector>

#include "core/base/json.h"

namespace hyb {

/// A setting that two projects do not share.
struct ProjectDifference {
  std::string pointer;  // "/safety/limits/2/threshold_m"
  std::string place;    // as the form names it: "Safety > Limits > Limit 3 > Threshold"
  std::string unit;     // "": none
  Json a, b;            // null: left out there
};

/// All settings in which two projects of the present version differ, in the order of the file. A section, an object or
/// an entry that only one of them has is one difference. A value that is left out equals its default if the other
/// project gives it.
std::vector<ProjectDifference> differences(const Json& a, const Json& b);

}  // namespace hyb
