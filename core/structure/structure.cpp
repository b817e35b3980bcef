#include "core/structure/structure.h"

namespace hyb {
namespace {

Model modelOf(const LumpedStructure& structure) { return lumpedModel(structure); }
template <typename Kind>
Model modelOf(const Kind&) {
  throw InputError("/structure/kind", "is not known");
}

}  // namespace

Model buildModel(const Structure& structure) {
  Model model = std::visit([](const auto& kind) { return modelOf(kind); }, structure.kind);
  model.damping = structure.damping;
  return model;
}

}  // namespace hyb
