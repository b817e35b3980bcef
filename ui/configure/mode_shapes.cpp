#include "ui/configure/mode_shapes.h"

#include <algorithm>
#include <map>

#include "core/structure/modes.h"
#include "core/structure/sides.h"

namespace hyb::ui {
namespace {

/// Modes of some DOF of `system` with the others held, mapped to `n` DOF by `place`.
std::vector<ModeShape> shapesOf(const SystemMatrices& system, const std::vector<Eigen::Index>& free,
                                const std::vector<Eigen::Index>& place, Eigen::Index n, Eigen::Index count) {
  if (free.empty()) return {};
  SystemMatrices part;
  part.m = block(system.m, free, free);
  part.c = block(system.c, free, free);
  part.k = block(system.k, free, free);
  for (const Eigen::Index i : free) part.dofs.push_back(system.dofs[static_cast<std::size_t>(i)]);
  const Modes found = lowestModes(part, count);
  std::vector<ModeShape> shapes;
  for (Eigen::Index mode = 0; mode < found.frequency_hz.size(); ++mode) {
    ModeShape shape{found.frequency_hz[mode], found.damping_ratio[mode], Eigen::VectorXd::Zero(n)};
    for (std::size_t i = 0; i < free.size(); ++i)
      shape.motion[place[static_cast<std::size_t>(free[i])]] = found.shape(static_cast<Eigen::Index>(i), mode);
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace

ModeSet modeShapes(const Partition& partition, Eigen::Index count) {
  const Eigen::Index n = partition.reference.size();
  std::map<std::string, Eigen::Index> index;
  for (Eigen::Index i = 0; i < n; ++i) index[partition.reference.dofs[static_cast<std::size_t>(i)].name] = i;
  const auto places = [&](const SystemMatrices& side) {
    std::vector<Eigen::Index> place;
    for (const Dof& dof : side.dofs) place.push_back(index.at(dof.name));
    return place;
  };
  const auto clamped = [&](const SystemMatrices& side, const std::vector<Eigen::Index>& held) {
    return shapesOf(side, others(held, side.size()), places(side), n, count);
  };
  return {shapesOf(partition.reference, others({}, n), places(partition.reference), n, count),
          clamped(partition.numerical, partition.interface_in_numerical),
          clamped(partition.physical, partition.interface_in_physical)};
}

}  // namespace hyb::ui
