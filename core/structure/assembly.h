#pragma once
#include <vector>

#include "core/error.h"
#include "core/structure/lumped.h"

namespace hyb {

/// Everything wrong with a structure; pointers start with `prefix` ("" or "/structure"). Empty = sound.
std::vector<Issue> structureFaults(const LumpedStructure& structure, const std::string& prefix);

/// Sums the chosen masses and links over all DOF and supports of a sound structure. Masks as long as the lists.
SystemMatrices assembleElements(const LumpedStructure& structure, const std::vector<bool>& masses,
                                const std::vector<bool>& links);

}  // namespace hyb
