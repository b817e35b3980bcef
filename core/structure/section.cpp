#include "core/structure/section.h"

#include <algorithm>
#include <cmath>

#include "core/base/checks.h"
#include "core/base/numbers.h"
#include "core/linalg/sparse.h"
#include "core/structure/model.h"
#include "core/structure/sides.h"

namespace hyb {

using Eigen::Index;

namespace {

/// Position of the node with this DOF, m.
double placeOf(const Model& model, Index dof) {
  for (const ModelNode& node : model.nodes)
    if (std::find(node.dof.begin(), node.dof.end(), dof) != node.dof.end()) return node.x_m;
  return kNoValue;
}

}  // namespace

SectionForce sectionMoment(const Model& model, const PartitionSpec& spec, const Partition& partition,
                           double station_m) {
  constexpr double close_m = 1e-7;
  const auto* const line = std::get_if<CutByPosition>(&spec.cut);
  if (line == nullptr || line->along_y || !line->physical_beyond)
    throw InputError("/station_m",
                     "requires a specimen beyond a cut by a position along x, but "
                     "this cut is different; use such a cut, or remove the sensor.");
  PartitionSpec beyond;
  const double at_m = placeOf(model, partition.interface_in_reference.front()) + station_m;
  beyond.cut = CutByPosition{false, at_m, true};
  Partition tip;
  bool meets = station_m > 0.0;
  if (meets) try {
      tip = cut(model, beyond);
      meets = std::abs(placeOf(model, tip.interface_in_reference.front()) - at_m) < close_m;
    } catch (const InputError&) {  // no element beyond this position
      meets = false;
    }
  const auto turns = std::find_if(tip.interface.begin(), tip.interface.end(),
                                  [](const Dof& dof) { return dof.motion == Motion::rotation; });
  if (!meets || turns == tip.interface.end())
    throw InputError("/station_m",
                     "is " + Checks::text(station_m, "m") +
                         ", but the specimen has no node with a rotation there; use the position of such a node, or "
                         "change the number of elements (/structure/segments).");
  // Static modes of the part beyond for a rotation of this node.
  const std::vector<Index>& at = tip.interface_in_physical;
  const Index rotation = at[static_cast<std::size_t>(turns - tip.interface.begin())];
  const std::vector<Index> inner = others(at, tip.physical.size());
  const linalg::SparseFactors factors(block(tip.physical.k, inner, inner));
  Eigen::VectorXd mode = Eigen::VectorXd::Unit(tip.physical.size(), rotation);
  if (!inner.empty()) mode(inner) = -factors.solve(Eigen::MatrixXd(block(tip.physical.k, inner, {rotation}))).col(0);
  const Eigen::VectorXd mass = tip.physical.m * mode, stiffness = tip.physical.k * mode;

  SectionForce force{Eigen::RowVectorXd::Zero(partition.physical.size()),
                     Eigen::RowVectorXd::Zero(partition.physical.size())};
  for (Index t = 0; t < tip.physical.size(); ++t) {
    const std::string& name = tip.physical.dofs[static_cast<std::size_t>(t)].name;
    for (Index p = 0; p < partition.physical.size(); ++p) {
      if (partition.physical.dofs[static_cast<std::size_t>(p)].name != name) continue;
      force.of_acceleration[p] = -mass[t];
      force.of_displacement[p] = -stiffness[t];
    }
  }
  return force;
}

}  // namespace hyb
