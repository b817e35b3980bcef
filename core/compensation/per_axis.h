#pragma once
#include <vector>

#include "core/compensation/method.h"

namespace hyb {

/// Each interface DOF with a method of its own; [i], one axis each, none of them null.
CompensationMethodPtr perAxis(std::vector<CompensationMethodPtr> methods);

}  // namespace hyb
