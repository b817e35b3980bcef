#include "core/structure/shear_building.h"

#include "core/structure/name_check.h"

namespace hyb {
namespace {

void check(const ShearBuilding& building) {
  Checks checks;
  NameCheck names(checks, "storeys and the ground");
  if (building.storeys.empty()) checks.fault("/structure/storeys", "is empty; a building needs at least one storey");
  for (std::size_t i = 0; i < building.storeys.size(); ++i) {
    const ShearBuilding::Storey& storey = building.storeys[i];
    const std::string pointer = "/structure/storeys/" + std::to_string(i);
    names.add(storey.name, pointer, true);
    checks.positive(pointer + "/mass_kg", storey.mass_kg, "kg");
    checks.positive(pointer + "/stiffness_n_per_m", storey.stiffness_n_per_m, "N/m");
    checks.notNegative(pointer + "/damping_n_s_per_m", storey.damping_n_s_per_m, "N s/m");
  }
  if (building.ground.empty())
    checks.fault("/structure/ground", "is empty; name the ground");
  else
    names.add(building.ground, "/structure/ground");
  checks.throwIfAny();
}

}  // namespace

Model shearModel(const ShearBuilding& building) {
  check(building);
  Model model;
  model.supports = {building.ground};
  model.nodes.push_back({building.ground, 0.0, 0.0, {-1, -1, -1}, {true, true, true}});
  for (std::size_t i = 0; i < building.storeys.size(); ++i) {
    const ShearBuilding::Storey& storey = building.storeys[i];
    const auto dof = static_cast<Eigen::Index>(i);
    model.dofs.push_back({storey.name, Motion::translation});
    model.nodes.push_back({storey.name, 0.0, static_cast<double>(i + 1), {dof, -1, -1}, {}});

    ModelElement floor;
    floor.name = storey.name + "/floor";
    floor.member = storey.name;
    floor.shape = ElementShape::mass;
    floor.nodes = {i + 1};
    floor.dofs = {dof};
    floor.m = Eigen::MatrixXd::Constant(1, 1, storey.mass_kg);
    floor.c = floor.k = Eigen::MatrixXd::Zero(1, 1);
    model.elements.push_back(std::move(floor));

    ModelElement columns;
    columns.name = storey.name + "/columns";
    columns.member = storey.name;
    columns.shape = ElementShape::link;
    columns.nodes = {i, i + 1};
    if (i > 0) columns.dofs.push_back(dof - 1);
    columns.dofs.push_back(dof);
    const Eigen::MatrixXd stretch = i == 0 ? Eigen::MatrixXd::Ones(1, 1) : Eigen::MatrixXd{{1.0, -1.0}, {-1.0, 1.0}};
    columns.m = 0.0 * stretch;
    columns.c = storey.damping_n_s_per_m * stretch;
    columns.k = storey.stiffness_n_per_m * stretch;
    model.elements.push_back(std::move(columns));
  }
  model.influence = Eigen::MatrixXd::Ones(static_cast<Eigen::Index>(model.dofs.size()), 1);
  return model;
}

}  // namespace hyb
