#pragma once
#include "core/structure/partition.h"

namespace hyb {

Partition cutDofs(const Model& model, const CutByDofs& spec);
Partition cutMatrices(const Model& model, const CutByMatrices& spec);

}  // namespace hyb
