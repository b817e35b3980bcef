#include "core/base/json.h"
#include "core/project/reading.h"
#include "core/structure/reduction.h"

namespace hyb {
namespace {

/// The list under `key`, element by element; empty if it is missing.
template <typename Item, typename Parse>
std::vector<Item> listOf(const Json& object, const char* key, Parse&& parse) {
  std::vector<Item> items;
  if (const auto list = object.find(key); list != object.end())
    for (const Json& entry : *list) items.push_back(parse(entry));
  return items;
}

std::vector<std::string> words(const Json& object, const char* key) {
  return object.value(key, std::vector<std::string>{});
}

using Rows = std::vector<std::vector<double>>;

Motion motionOf(const Json& object) {
  return text(object, "motion") == "rotation" ? Motion::rotation : Motion::translation;
}

LumpedStructure parseLumped(const Json& section) {
  LumpedStructure structure;
  for (const Json& mass : section.at("masses"))
    structure.masses.push_back({text(mass, "name"), mass.at("mass_kg").get<double>()});
  for (const Json& support : section.value("supports", Json::array()))
    structure.supports.push_back({text(support, "name")});
  for (const Json& link : section.at("links"))
    structure.links.push_back({text(link, "name"), text(link, "from"), text(link, "to"),
                               link.at("stiffness_n_per_m").get<double>(), link.at("damping_n_s_per_m").get<double>()});
  return structure;
}

ShearBuilding parseShearBuilding(const Json& section) {
  ShearBuilding building;
  for (const Json& storey : section.at("storeys"))
    building.storeys.push_back({text(storey, "name"), storey.at("mass_kg").get<double>(),
                                storey.at("stiffness_n_per_m").get<double>(),
                                storey.at("damping_n_s_per_m").get<double>()});
  read(section, "ground", building.ground);
  return building;
}

BeamSection parseSection(const Json& object) {
  BeamSection section;
  section.name = text(object, "name");
  read(object, "youngs_modulus_n_per_m2", section.youngs_modulus_n_per_m2);
  read(object, "second_moment_m4", section.second_moment_m4);
  read(object, "area_m2", section.area_m2);
  read(object, "density_kg_per_m3", section.density_kg_per_m3);
  read(object, "added_mass_kg_per_m", section.added_mass_kg_per_m);
  return section;
}

BeamStructure parseBeam(const Json& section) {
  BeamStructure beam;
  beam.sections = listOf<BeamSection>(section, "sections", parseSection);
  beam.segments = listOf<BeamStructure::Segment>(section, "segments", [](const Json& o) {
    return BeamStructure::Segment{text(o, "name"), o.at("length_m").get<double>(), text(o, "section"),
                                  o.at("elements").get<int>()};
  });
  beam.supports = listOf<BeamStructure::Support>(section, "supports", [](const Json& o) {
    return BeamStructure::Support{o.at("position_m").get<double>(), o.at("deflection").get<bool>(),
                                  o.at("rotation").get<bool>()};
  });
  beam.springs = listOf<BeamStructure::Spring>(section, "springs", [](const Json& o) {
    return BeamStructure::Spring{text(o, "name"),
                                 o.at("position_m").get<double>(),
                                 o.at("stiffness_n_per_m").get<double>(),
                                 o.at("damping_n_s_per_m").get<double>(),
                                 o.at("rotational_stiffness_n_m_per_rad").get<double>(),
                                 o.at("rotational_damping_n_m_s_per_rad").get<double>()};
  });
  beam.masses = listOf<BeamStructure::Mass>(section, "masses", [](const Json& o) {
    return BeamStructure::Mass{text(o, "name"), o.at("position_m").get<double>(), o.at("mass_kg").get<double>(),
                               o.at("inertia_kg_m2").get<double>()};
  });
  read(section, "ground", beam.ground);
  return beam;
}

FrameStructure parseFrame(const Json& section) {
  FrameStructure frame;
  frame.sections = listOf<BeamSection>(section, "sections", parseSection);
  frame.nodes = listOf<FrameStructure::Node>(section, "nodes", [](const Json& o) {
    return FrameStructure::Node{text(o, "name"),
                                o.at("x_m").get<double>(),
                                o.at("y_m").get<double>(),
                                o.at("fixed_x").get<bool>(),
                                o.at("fixed_y").get<bool>(),
                                o.at("fixed_rotation").get<bool>()};
  });
  frame.members = listOf<FrameStructure::Member>(section, "members", [](const Json& o) {
    return FrameStructure::Member{text(o, "name"), text(o, "from"), text(o, "to"), text(o, "section"),
                                  o.at("elements").get<int>()};
  });
  frame.springs = listOf<FrameStructure::Spring>(section, "springs", [](const Json& o) {
    using Direction = FrameStructure::Direction;
    const std::string direction = text(o, "direction");
    return FrameStructure::Spring{text(o, "name"),
                                  text(o, "from"),
                                  text(o, "to"),
                                  direction == "y"          ? Direction::y
                                  : direction == "rotation" ? Direction::rotation
                                                            : Direction::x,
                                  o.at("stiffness").get<double>(),
                                  o.at("damping").get<double>()};
  });
  frame.masses = listOf<FrameStructure::Mass>(section, "masses", [](const Json& o) {
    return FrameStructure::Mass{text(o, "name"), text(o, "node"), o.at("mass_kg").get<double>(),
                                o.at("inertia_kg_m2").get<double>()};
  });
  read(section, "ground", frame.ground);
  return frame;
}

MatrixSource parseMatrix(const Json& section, const char* key, const std::filesystem::path& folder) {
  MatrixSource source;
  const auto object = section.find(key);
  if (object == section.end()) return source;
  read(*object, "rows", source.rows);
  if (object->contains("file")) source.file = folder / text(*object, "file");  // an absolute path replaces the folder
  read(*object, "variable", source.variable);
  return source;
}

MatrixStructure parseMatrices(const Json& section, const std::filesystem::path& folder) {
  MatrixStructure structure;
  structure.dofs = listOf<Dof>(section, "dofs", [](const Json& o) { return Dof{text(o, "name"), motionOf(o)}; });
  structure.m = parseMatrix(section, "mass", folder);
  structure.c = parseMatrix(section, "damping", folder);
  structure.k = parseMatrix(section, "stiffness", folder);
  readChoice(section, "massless", {"refuse", "condense", "keep"}, structure.massless);
  structure.grounds = listOf<MatrixStructure::Ground>(section, "grounds", [](const Json& o) {
    return MatrixStructure::Ground{text(o, "name"), o.value("influence", std::vector<double>{})};
  });
  return structure;
}

DampingSpec parseDamping(const Json& object) {
  DampingSpec damping;
  const std::string kind = text(object, "kind");
  damping.kind = kind == "rayleigh-factors"  ? DampingSpec::Kind::rayleigh_factors
                 : kind == "rayleigh-ratios" ? DampingSpec::Kind::rayleigh_ratios
                 : kind == "modal"           ? DampingSpec::Kind::modal
                                             : DampingSpec::Kind::none;  // also for a damping matrix
  read(object, "mass_factor_per_s", damping.mass_factor);
  read(object, "stiffness_factor_s", damping.stiffness_factor);
  read(object, "ratios", damping.ratios);
  read(object, "frequencies_hz", damping.frequencies_hz);
  read(object, "specimen_ratios", damping.specimen_ratios);
  read(object, "of_each_part", damping.of_each_part);
  return damping;
}

NonlinearSpec parseNonlinear(const Json& object) {
  NonlinearSpec link;
  link.name = text(object, "name");
  link.from = text(object, "from");
  link.to = text(object, "to");
  const std::string law = text(object, "law");
  if (law == "cubic") {
    link.law = CubicSpring{object.at("stiffness_n_per_m").get<double>(), object.at("cubic_n_per_m3").get<double>()};
  } else if (law == "bilinear") {
    link.law = BilinearSpring{object.at("stiffness_n_per_m").get<double>(), object.at("yield_force_n").get<double>(),
                              object.at("hardening_ratio").get<double>()};
  } else if (law == "contact") {
    link.law = ContactSpring{object.at("stiffness_n_per_m").get<double>(), object.at("gap_m").get<double>()};
  } else {
    BoucWenSpring spring;
    read(object, "stiffness_n_per_m", spring.stiffness_n_per_m);
    read(object, "yield_stretch_m", spring.yield_stretch_m);
    read(object, "hardening_ratio", spring.hardening_ratio);
    read(object, "beta", spring.beta);
    read(object, "gamma", spring.gamma);
    read(object, "exponent", spring.exponent);
    link.law = spring;
  }
  return link;
}

InterfaceAxis parseAxis(const Json& object) {
  InterfaceAxis axis;
  axis.name = text(object, "name");
  axis.motion = motionOf(object);
  axis.acceleration = text(object, "reads") == "acceleration";
  if (object.contains("joint_along_m")) axis.joint_along_m = object.at("joint_along_m").get<double>();
  for (const Json& term : object.at("terms"))
    axis.terms.emplace_back(text(term, "dof"), term.at("factor").get<double>());
  return axis;
}

Reduction parseReduction(const Json& partition, const char* side) {
  Reduction reduction;
  const Json object = partition.value("reduction", Json::object()).value(side, Json::object());
  const std::string method = text(object, "method");
  for (const auto one : {Reduction::Method::static_condensation, Reduction::Method::craig_bampton})
    if (method == name(one)) reduction.method = one;
  read(object, "modes", reduction.modes);
  return reduction;
}

CutByMatrices::Side parseSide(const Json& object) {
  return {words(object, "dofs"), object.value("m", Rows{}), object.value("c", Rows{}), object.value("k", Rows{})};
}

}  // namespace

Structure parseStructure(const Json& section, const std::filesystem::path& folder) {
  Structure structure;
  const std::string kind = text(section, "kind");
  if (kind == "lumped")
    structure.kind = parseLumped(section);
  else if (kind == "shear-building")
    structure.kind = parseShearBuilding(section);
  else if (kind == "beam")
    structure.kind = parseBeam(section);
  else if (kind == "frame")
    structure.kind = parseFrame(section);
  else
    structure.kind = parseMatrices(section, folder);
  structure.damping = parseDamping(section.value("damping", Json::object()));
  structure.nonlinear = listOf<NonlinearSpec>(section, "nonlinear", parseNonlinear);
  return structure;
}

PartitionSpec parsePartition(const Json& section) {
  PartitionSpec partition;
  const std::string by = text(section, "by");
  if (by == "elements") {
    partition.cut = CutByElements{words(section, "physical")};
  } else if (by == "nodes") {
    partition.cut = CutByNodes{words(section, "physical")};
  } else if (by == "position") {
    partition.cut = CutByPosition{text(section, "axis") == "y", section.at("position_m").get<double>(),
                                  text(section, "physical_side") != "before"};
  } else if (by == "dofs") {
    partition.cut =
        CutByDofs{words(section, "physical"), words(section, "interface"), section.at("share").get<double>()};
  } else if (by == "storeys") {
    partition.cut = CutByStoreys{words(section, "physical")};
  } else {
    CutByMatrices matrices{parseSide(section.at("physical")), words(section, "interface"), {}, {}};
    if (section.contains("numerical")) matrices.numerical = parseSide(section.at("numerical"));
    if (section.contains("removed")) matrices.removed = parseSide(section.at("removed"));
    partition.cut = std::move(matrices);
  }
  partition.actuators = listOf<InterfaceAxis>(section, "actuators", parseAxis);
  partition.sensors = listOf<InterfaceAxis>(section, "sensors", parseAxis);
  partition.force_sensors = listOf<InterfaceAxis>(section, "force_sensors", parseAxis);
  partition.numerical = parseReduction(section, "numerical");
  partition.physical = parseReduction(section, "physical");
  return partition;
}

}  // namespace hyb
