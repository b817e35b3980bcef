#include "core/structure/beam.h"

#include <algorithm>
#include <cmath>

#include "core/structure/beam_element.h"
#include "core/structure/name_check.h"

namespace hyb {
namespace {

constexpr double kNodeSlack = 1e-6;  // share of the length: a position this near to a node is that of the node
constexpr std::array<Eigen::Index, 3> kPlaces{-1, 0, 0};  // beams have deflection and rotation, numbered later

void checkSegments(const BeamStructure& beam, const std::map<std::string, const BeamSection*>& sections,
                   NameCheck& names, Checks& checks) {
  if (beam.segments.empty()) checks.fault("/structure/segments", "is empty; a beam needs at least one segment");
  long total = 0;
  for (std::size_t i = 0; i < beam.segments.size(); ++i) {
    const BeamStructure::Segment& segment = beam.segments[i];
    names.add(segment.name, entryOf("segments", i), true);
    checks.positive(entryOf("segments", i) + "/length_m", segment.length_m, "m");
    checkMesh(entryOf("segments", i), segment.elements, total, checks);
    if (!sections.contains(segment.section))
      checks.fault(entryOf("segments", i) + "/section",
                   "\"" + segment.section + "\" is not a section; use the name of a section");
  }
}

/// Checks values of parts on the beam. The mesh checks their positions later.
void checkBeamParts(const BeamStructure& beam, NameCheck& names, Checks& checks) {
  for (std::size_t i = 0; i < beam.supports.size(); ++i)
    if (!beam.supports[i].deflection && !beam.supports[i].rotation)
      checks.fault(entryOf("supports", i), "holds no motion; let it hold the deflection or the rotation, or remove it");
  for (std::size_t i = 0; i < beam.springs.size(); ++i) {
    const BeamStructure::Spring& spring = beam.springs[i];
    const std::string pointer = entryOf("springs", i);
    names.add(spring.name, pointer);
    bool good = checks.notNegative(pointer + "/stiffness_n_per_m", spring.stiffness_n_per_m, "N/m");
    good &= checks.notNegative(pointer + "/damping_n_s_per_m", spring.damping_n_s_per_m, "N s/m");
    good &= checks.notNegative(pointer + "/rotational_stiffness_n_m_per_rad", spring.rotational_stiffness_n_m_per_rad,
                               "N m/rad");
    good &= checks.notNegative(pointer + "/rotational_damping_n_m_s_per_rad", spring.rotational_damping_n_m_s_per_rad,
                               "N m s/rad");
    if (good && spring.stiffness_n_per_m + spring.damping_n_s_per_m + spring.rotational_stiffness_n_m_per_rad +
                        spring.rotational_damping_n_m_s_per_rad ==
                    0.0)
      checks.fault(pointer, "has neither stiffness nor damping; give it one of them, or remove the spring");
  }
  for (std::size_t i = 0; i < beam.masses.size(); ++i) {
    const BeamStructure::Mass& mass = beam.masses[i];
    names.add(mass.name, entryOf("masses", i));
    bool good = checks.notNegative(entryOf("masses", i) + "/mass_kg", mass.mass_kg, "kg");
    good &= checks.notNegative(entryOf("masses", i) + "/inertia_kg_m2", mass.inertia_kg_m2, "kg m^2");
    if (good && mass.mass_kg + mass.inertia_kg_m2 == 0.0)
      checks.fault(entryOf("masses", i), "has neither mass nor inertia; give it one of them or remove it");
  }
}

/// Number of elements that a segment needs for a node at `fraction` of it; 0 if no reasonable mesh has one.
int elementsFor(double fraction, double slack) {
  for (int n = 2; n <= 200; ++n)
    if (std::abs(fraction * n - std::round(fraction * n)) <= slack * n) return n;
  return 0;
}

class BeamMesh {
 public:
  BeamMesh(const BeamStructure& beam, Checks& checks) : beam_(beam), checks_(checks) {
    double start = 0.0;
    for (const BeamStructure::Segment& segment : beam.segments) {
      if (model.nodes.empty()) model.nodes.push_back({segment.name + "/0", 0.0, 0.0, kPlaces, {}});
      for (int k = 1; k <= segment.elements; ++k)
        model.nodes.push_back({segment.name + "/" + std::to_string(k),
                               start + segment.length_m * k / segment.elements,
                               0.0,
                               kPlaces,
                               {}});
      start += segment.length_m;
    }
  }

  /// Node at a position on the beam; -1 and a fault with the nearest positions if there is none.
  std::ptrdiff_t nodeAt(double position_m, const std::string& pointer) {
    const double length = model.nodes.back().x_m;
    if (!checks_.between(pointer + "/position_m", position_m, -kNodeSlack * length, (1.0 + kNodeSlack) * length, "m"))
      return -1;
    const auto right = std::lower_bound(model.nodes.begin(), model.nodes.end(), position_m - kNodeSlack * length,
                                        [](const ModelNode& node, double x) { return node.x_m < x; });
    if (std::abs(right->x_m - position_m) <= kNodeSlack * length) return right - model.nodes.begin();
    double start = 0.0;
    for (const BeamStructure::Segment& segment : beam_.segments) {
      if (position_m < start + segment.length_m) {
        const int n = elementsFor((position_m - start) / segment.length_m, kNodeSlack * length / segment.length_m);
        checks_.fault(pointer + "/position_m", position_m, "m",
                      "no node is at this position; the nearest are at " + Checks::text((right - 1)->x_m, "m") +
                          " and " + Checks::text(right->x_m, "m") + "; use one of them, or divide segment \"" +
                          segment.name + "\" " +
                          (n > 0 ? "into " + std::to_string(n) + " elements" : "into two there"));
        break;
      }
      start += segment.length_m;
    }
    return -1;
  }

  void hold() {
    for (std::size_t i = 0; i < beam_.supports.size(); ++i) {
      const BeamStructure::Support& support = beam_.supports[i];
      const std::ptrdiff_t place = nodeAt(support.position_m, entryOf("supports", i));
      if (place < 0) continue;
      std::array<bool, 3>& fixed = model.nodes[static_cast<std::size_t>(place)].fixed;
      fixed[1] = fixed[1] || support.deflection;
      fixed[2] = fixed[2] || support.rotation;
    }
    numberDofs(model);
  }

  void addElements(const std::map<std::string, const BeamSection*>& sections) {
    std::size_t node = 0;
    for (const BeamStructure::Segment& segment : beam_.segments) {
      const BeamSection& section = *sections.at(segment.section);
      const double length = segment.length_m / segment.elements;
      const Eigen::Matrix4d m = bendingMass(section, length), k = bendingStiffness(section, length);
      for (int piece = 1; piece <= segment.elements; ++piece, ++node) {
        ModelElement element;
        element.name = segment.name + "/" + std::to_string(piece);
        element.member = segment.name;
        element.shape = ElementShape::beam;
        element.nodes = {node, node + 1};
        addMeshed(model, std::move(element), {1, 2, 1, 2}, m, k);
      }
    }
  }

  void addParts() {
    for (std::size_t i = 0; i < beam_.springs.size(); ++i) {
      const BeamStructure::Spring& spring = beam_.springs[i];
      const NodeTerms terms{{},
                            {0.0, spring.damping_n_s_per_m, spring.rotational_damping_n_m_s_per_rad},
                            {0.0, spring.stiffness_n_per_m, spring.rotational_stiffness_n_m_per_rad}};
      add(spring.name, ElementShape::link, spring.position_m, terms, entryOf("springs", i));
    }
    for (std::size_t i = 0; i < beam_.masses.size(); ++i) {
      const BeamStructure::Mass& mass = beam_.masses[i];
      add(mass.name, ElementShape::mass, mass.position_m, {{0.0, mass.mass_kg, mass.inertia_kg_m2}, {}, {}},
          entryOf("masses", i));
    }
  }

  Model model;

 private:
  void add(const std::string& name, ElementShape shape, double position_m, const NodeTerms& terms,
           const std::string& pointer) {
    if (const std::ptrdiff_t node = nodeAt(position_m, pointer); node >= 0)
      addAtNode(model, name, shape, static_cast<std::size_t>(node), terms, pointer, checks_);
  }

  const BeamStructure& beam_;
  Checks& checks_;
};

}  // namespace

Model beamModel(const BeamStructure& beam) {
  Checks checks;
  NameCheck names(checks, "segments, springs and masses");
  const auto sections = checkedSections(beam.sections, checks);
  checkSegments(beam, sections, names, checks);
  const bool can_mesh = checks.ok();
  checkBeamParts(beam, names, checks);
  if (beam.ground.empty()) checks.fault("/structure/ground", "is empty; name the ground");
  if (!can_mesh) checks.throwIfAny();

  BeamMesh mesh(beam, checks);
  mesh.hold();
  moveWithGround(mesh.model, {beam.ground}, {1});
  mesh.addElements(sections);
  mesh.addParts();
  checks.throwIfAny();
  return std::move(mesh.model);
}

}  // namespace hyb
