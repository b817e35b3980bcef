#include "core/structure/beam_element.h"

#include "core/structure/name_check.h"

namespace hyb {

double massPerLength(const BeamSection& section) noexcept {
  return section.density_kg_per_m3 * section.area_m2 + section.added_mass_kg_per_m;
}

Eigen::Matrix4d bendingStiffness(const BeamSection& section, double length_m) {
  const double l = length_m, l2 = l * l;
  const Eigen::Matrix4d shape{{12.0, 6.0 * l, -12.0, 6.0 * l},
                              {6.0 * l, 4.0 * l2, -6.0 * l, 2.0 * l2},
                              {-12.0, -6.0 * l, 12.0, -6.0 * l},
                              {6.0 * l, 2.0 * l2, -6.0 * l, 4.0 * l2}};
  return section.youngs_modulus_n_per_m2 * section.second_moment_m4 / (l2 * l) * shape;
}

Eigen::Matrix4d bendingMass(const BeamSection& section, double length_m) {
  const double l = length_m, l2 = l * l;
  const Eigen::Matrix4d shape{{156.0, 22.0 * l, 54.0, -13.0 * l},
                              {22.0 * l, 4.0 * l2, 13.0 * l, -3.0 * l2},
                              {54.0, 13.0 * l, 156.0, -22.0 * l},
                              {-13.0 * l, -3.0 * l2, -22.0 * l, 4.0 * l2}};
  return massPerLength(section) * l / 420.0 * shape;
}

Eigen::Matrix2d axialStiffness(const BeamSection& section, double length_m) {
  return section.youngs_modulus_n_per_m2 * section.area_m2 / length_m * Eigen::Matrix2d{{1.0, -1.0}, {-1.0, 1.0}};
}

Eigen::Matrix2d axialMass(const BeamSection& section, double length_m) {
  return massPerLength(section) * length_m / 6.0 * Eigen::Matrix2d{{2.0, 1.0}, {1.0, 2.0}};
}

std::map<std::string, const BeamSection*> checkedSections(const std::vector<BeamSection>& sections, Checks& checks) {
  std::map<std::string, const BeamSection*> by_name;
  NameCheck names(checks, "sections");
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const BeamSection& section = sections[i];
    const std::string pointer = "/structure/sections/" + std::to_string(i);
    names.add(section.name, pointer);
    checks.positive(pointer + "/youngs_modulus_n_per_m2", section.youngs_modulus_n_per_m2, "N/m^2");
    checks.positive(pointer + "/second_moment_m4", section.second_moment_m4, "m^4");
    checks.positive(pointer + "/area_m2", section.area_m2, "m^2");
    checks.notNegative(pointer + "/density_kg_per_m3", section.density_kg_per_m3, "kg/m^3");
    checks.notNegative(pointer + "/added_mass_kg_per_m", section.added_mass_kg_per_m, "kg/m");
    by_name.emplace(section.name, &section);
  }
  return by_name;
}

void checkMesh(const std::string& pointer, int elements, long& total, Checks& checks) {
  if (!checks.between(pointer + "/elements", elements, 1, kMostElements, "")) return;
  const bool was_fine = total <= kMostElements;
  total += elements;
  if (was_fine && total > kMostElements)
    checks.fault(pointer + "/elements",
                 "leads to more than " + std::to_string(kMostElements) + " elements in all; use a coarser mesh");
}

void numberDofs(Model& model) {
  constexpr std::array<const char*, 3> suffix{".x", ".y", ".rotation"};
  for (ModelNode& node : model.nodes)
    for (std::size_t d = 0; d < 3; ++d) {
      if (node.dof[d] < 0) continue;
      node.dof[d] = node.fixed[d] ? -1 : static_cast<Eigen::Index>(model.dofs.size());
      if (!node.fixed[d])
        model.dofs.push_back({node.name + suffix[d], d == 2 ? Motion::rotation : Motion::translation});
    }
}

void moveWithGround(Model& model, const std::vector<std::string>& grounds, const std::vector<std::size_t>& directions) {
  model.supports = grounds;
  model.influence =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(model.dofs.size()), static_cast<Eigen::Index>(grounds.size()));
  model.held_mass = model.influence;
  for (std::size_t g = 0; g < grounds.size(); ++g)
    for (const ModelNode& node : model.nodes)
      if (const Eigen::Index dof = node.dof[directions[g]]; dof >= 0)
        model.influence(dof, static_cast<Eigen::Index>(g)) = 1.0;
}

void addMeshed(Model& model, ModelElement element, const std::vector<std::size_t>& directions, const Eigen::MatrixXd& m,
               const Eigen::MatrixXd& k) {
  std::vector<Eigen::Index> free;
  std::vector<std::pair<Eigen::Index, Eigen::Index>> held;  // place in the matrices, ground that moves it
  for (std::size_t i = 0; i < directions.size(); ++i) {
    const std::size_t d = directions[i];
    const ModelNode& node = model.nodes[element.nodes[i < directions.size() / 2 ? 0 : 1]];
    if (node.dof[d] >= 0) {
      free.push_back(static_cast<Eigen::Index>(i));
      element.dofs.push_back(node.dof[d]);
    } else if (d < 2) {
      held.emplace_back(i, model.supports.size() == 1 ? 0 : static_cast<Eigen::Index>(d));
    }
  }
  for (std::size_t i = 0; i < free.size(); ++i)
    for (const auto& [place, ground] : held) model.held_mass(element.dofs[i], ground) += m(free[i], place);
  element.m = m(free, free);
  element.k = k(free, free);
  element.c = Eigen::MatrixXd::Zero(element.k.rows(), element.k.cols());
  model.elements.push_back(std::move(element));
}

void addAtNode(Model& model, const std::string& name, ElementShape shape, std::size_t node, const NodeTerms& terms,
               const std::string& pointer, Checks& checks) {
  ModelElement element;
  element.name = element.member = name;
  element.shape = shape;
  element.nodes = {node};
  std::vector<std::size_t> used;
  for (std::size_t d = 0; d < 3; ++d)
    if (model.nodes[node].dof[d] >= 0 && (terms.m[d] != 0.0 || terms.c[d] != 0.0 || terms.k[d] != 0.0))
      used.push_back(d);
  if (used.empty())
    return checks.fault(pointer, "acts on \"" + model.nodes[node].name +
                                     "\" only in a motion that the ground holds; move it, or free that motion");
  const auto n = static_cast<Eigen::Index>(used.size());
  element.m = element.c = element.k = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::size_t d = used[static_cast<std::size_t>(i)];
    element.dofs.push_back(model.nodes[node].dof[d]);
    element.m(i, i) = terms.m[d];
    element.c(i, i) = terms.c[d];
    element.k(i, i) = terms.k[d];
  }
  model.elements.push_back(std::move(element));
}

}  // namespace hyb
