#pragma once
#include <vector>

#include "core/compensation/method.h"

namespace hyb {

/// One method for each interface DOF; [i], one axis each, none of them null.
CompensationMethodPtr perAxis(std::vector<CompensationMethodPtr> methods);

}  // namespace hyb
