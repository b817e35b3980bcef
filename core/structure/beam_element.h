#pragma once
#include <Eigen/Core>
#include <array>
#include <map>

#include "core/base/checks.h"
#include "core/structure/structure.h"

namespace hyb {

inline constexpr int kMostElements = 100'000;  // of a structure; a larger mesh is an input error

double massPerLength(const BeamSection& section) noexcept;  // kg/m

// Euler-Bernoulli element with cubic deflection over [y, rotation] at its start, then at its end; [4, 4].
Eigen::Matrix4d bendingStiffness(const BeamSection& section, double length_m);
Eigen::Matrix4d bendingMass(const BeamSection& section, double length_m);  // consistent
// Rod with linear displacement over the displacement along it at both ends; [2, 2].
Eigen::Matrix2d axialStiffness(const BeamSection& section, double length_m);
Eigen::Matrix2d axialMass(const BeamSection& section, double length_m);  // consistent

/// Sections by name, after their checks ("/structure/sections/0/area_m2").
std::map<std::string, const BeamSection*> checkedSections(const std::vector<BeamSection>& sections, Checks& checks);

/// Checks the number of elements of one segment or member, at least 1; `total` counts those of the structure.
void checkMesh(const std::string& pointer, int elements, long& total, Checks& checks);

// Mesh with DOF numbers to come: a node's dof is >= 0 if it has that DOF, else -1.

/// Numbers the DOF node by node, "<node>.x", ".y", ".rotation"; held ones become -1.
void numberDofs(Model& model);

/// Grounds that accelerate all nodes along x (0) or y (1), one for each direction. After numberDofs.
void moveWithGround(Model& model, const std::vector<std::string>& grounds, const std::vector<std::size_t>& directions);

/// Adds an element of the mesh with matrices over the DOF `directions` (0 x, 1 y, 2 rotation) of its first node, then
/// of its second. Held DOF are left out; their mass is added to Model::held_mass. After moveWithGround.
void addMeshed(Model& model, ModelElement element, const std::vector<std::size_t>& directions, const Eigen::MatrixXd& m,
               const Eigen::MatrixXd& k);

/// Adds a lumped mass, or a spring and damper to the ground, at a node; fault if the node is held.
struct NodeTerms {
  std::array<double, 3> m{}, c{}, k{};  // along x, along y, rotation
};
void addAtNode(Model& model, const std::string& name, ElementShape shape, std::size_t node, const NodeTerms& terms,
               const std::string& pointer, Checks& checks);

}  // namespace hyb
