#pragma once
#include <utility>
#include <vector>

#include "core/transfer/specimen_law.h"

namespace hyb {

/// Force over displacement by points, m and N, straight between them; the lines of the first and the last two go on
/// beyond them.
SpecimenLawPtr forceTable(std::vector<std::pair<double, double>> points);
SpecimenLawPtr parseForceTable(const Json& settings);

}  // namespace hyb
