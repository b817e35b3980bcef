#pragma once
#include <string>
#include <vector>

#include "core/base/json_fwd.h"

namespace hyb {

/// Short labels for the values of one place of a project, different for different values. For an object, or a list of
/// them, its difference from the others: "lms, gain 10". An empty list is "none".
std::vector<std::string> valueLabels(const std::vector<Json>& values);

}  // namespace hyb
