#pragma once
#include <utility>
#include <vector>

#include "core/transfer/specimen_law.h"

namespace hyb {

/// Force over displacement by points, m and N, with linear interpolation; the first and the last line are extrapolated.
SpecimenLawPtr forceTable(std::vector<std::pair<double, double>> points);
SpecimenLawPtr parseForceTable(const Json& settings);

}  // namespace hyb
