#pragma once
#include <string>
#include <vector>

#include "core/base/json_fwd.h"

namespace hyb {

/// What people call each of these values of one place of a project, in few words, different values differently. Of an
/// object, or a list of them, what sets it apart from the others: "lms, gain 10". An empty list is "none".
std::vector<std::string> valueLabels(const std::vector<Json>& values);

}  // namespace hyb
