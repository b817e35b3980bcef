#pragma once
#include <vector>

#include "core/compensation/compensator.h"
#include "core/project/project.h"

namespace hyb {

/// Narrows the bounds of the tunables of a coupling scheme to the range of their field in the schema: "x-tuning" where
/// the field has it, else the bounds of the field. The present value lies always inside. Throws InputError if a field
/// does not exist in the document.
void boundTunables(std::vector<Tunable>& tunables, const Json& document);

}  // namespace hyb
