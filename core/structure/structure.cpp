#include "core/structure/structure.h"

#include "core/structure/beam.h"
#include "core/structure/damping.h"
#include "core/structure/frame.h"
#include "core/structure/matrices.h"
#include "core/structure/mechanism.h"
#include "core/structure/nonlinear_links.h"
#include "core/structure/shear_building.h"

namespace hyb {
namespace {

Model modelOf(const LumpedStructure& structure) { return lumpedModel(structure); }
Model modelOf(const ShearBuilding& structure) { return shearModel(structure); }
Model modelOf(const BeamStructure& structure) { return beamModel(structure); }
Model modelOf(const FrameStructure& structure) { return frameModel(structure); }
Model modelOf(const MatrixStructure& structure) { return matrixModel(structure); }

bool hasMass(const Model& model) {
  for (const ModelElement& element : model.elements)
    if (element.m.diagonal().sum() > 0.0) return true;
  return model.matrices.has_value();
}

}  // namespace

Model buildModel(const Structure& structure) {
  Model model;
  std::vector<Issue> issues;
  const auto collect = [&issues](auto&& step) {
    try {
      step();
    } catch (const InputError& error) {
      issues.insert(issues.end(), error.issues().begin(), error.issues().end());
    }
  };
  collect([&] { model = std::visit([](const auto& kind) { return modelOf(kind); }, structure.kind); });
  const bool built = issues.empty();
  model.damping = structure.damping;
  collect([&] { checkDamping(structure.damping); });
  if (built) collect([&] { addNonlinearLinks(structure.nonlinear, model); });
  if (issues.empty()) {
    collect([&] { refuseMechanisms(model); });
    if (model.dofs.empty())
      issues.push_back({"/structure", "has nothing that can move; free a motion, or use more elements"});
    else if (!hasMass(model))
      issues.push_back({"/structure", "has no mass; give a section a density, or add a mass"});
  }
  if (!issues.empty()) throw InputError(std::move(issues));
  return model;
}

}  // namespace hyb
