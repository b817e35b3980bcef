#include "core/structure/cut_by_blocks.h"

#include "core/error.h"

namespace hyb {

Partition cutDofs(const Model&, const CutByDofs&) { throw InputError("/partition/by", "\"dofs\" is not known"); }
Partition cutMatrices(const Model&, const CutByMatrices&) {
  throw InputError("/partition/by", "\"matrices\" is not known");
}

}  // namespace hyb
