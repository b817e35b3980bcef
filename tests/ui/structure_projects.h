#pragma once
#include "core/project/project.h"

namespace hyb::ui::testing {

/// A sound project around a structure and a cut: no compensation, one ideal actuator for each interface DOF.
inline Json projectAround(Json structure, Json partition, const char* pushed_dof) {
  Json document = templateDocument("three-mass");
  document["structure"] = std::move(structure);
  document["partition"] = std::move(partition);
  document["compensation"] = {{"method", "none"}};
  document["excitation"] = Json::parse(R"({"signals": [{"name": "push", "kind": "sine", "amplitude_n": 0.1,
      "frequency_hz": 5, "phase_deg": 0}], "loads": [{"signal": "push"}]})");
  document["excitation"]["loads"][0]["dof"] = pushed_dof;
  document["rig"]["actuators"] = Json::parse(R"([{"model": "servo", "natural_frequency_hz": 60, "damping_ratio": 0.7,
      "delay_s": 0.0005}])");
  document["loop"]["rate_hz"] = 4096;
  return document;
}

/// Cantilever of Vizzaccaro et al., section 4: 25.4 x 1 mm, 170 mm computed and 360 mm on the rig.
inline Json cantilever(int elements_per_part = 12) {
  Json structure = Json::parse(R"({"kind": "beam",
    "sections": [{"name": "strip", "youngs_modulus_n_per_m2": 2.17e11, "second_moment_m4": 2.11667e-12,
      "area_m2": 2.54e-5, "density_kg_per_m3": 8210}],
    "segments": [{"name": "root", "length_m": 0.17, "section": "strip"},
                 {"name": "tip", "length_m": 0.36, "section": "strip"}],
    "supports": [{"position_m": 0}],
    "damping": {"kind": "rayleigh-ratios", "ratios": [0.005, 0.005]}})");
  for (Json& segment : structure["segments"]) segment["elements"] = elements_per_part;
  return projectAround(std::move(structure), Json::parse(R"({"by": "position", "axis": "x", "position_m": 0.17,
                         "reduction": {"physical": {"method": "craig-bampton", "modes": 5}}})"),
                       "root/1.y");
}

/// Steel frame, one bay and three storeys; the lowest storey is on the rig.
inline Json frame() {
  Json structure = Json::parse(R"({"kind": "frame",
    "sections": [
      {"name": "HEB 200", "youngs_modulus_n_per_m2": 2.1e11, "second_moment_m4": 5.696e-5, "area_m2": 7.81e-3,
       "density_kg_per_m3": 7850},
      {"name": "IPE 300", "youngs_modulus_n_per_m2": 2.1e11, "second_moment_m4": 8.356e-5, "area_m2": 5.38e-3,
       "density_kg_per_m3": 7850, "added_mass_kg_per_m": 2000}],
    "nodes": [], "members": [], "damping": {"kind": "rayleigh-ratios", "ratios": [0.02, 0.02]}})");
  for (int storey = 0; storey <= 3; ++storey)
    for (const auto& [side, x] : {std::pair("L", 0.0), std::pair("R", 5.0)}) {
      const std::string here = side + std::to_string(storey), below = side + std::to_string(storey - 1);
      Json node = {{"name", here}, {"x_m", x}, {"y_m", 3.2 * storey}};
      if (storey == 0)
        for (const char* held : {"fixed_x", "fixed_y", "fixed_rotation"}) node[held] = true;
      structure["nodes"].push_back(node);
      if (storey > 0)
        structure["members"].push_back(
            {{"name", "column-" + here}, {"from", below}, {"to", here}, {"section", "HEB 200"}, {"elements", 4}});
    }
  for (int storey = 1; storey <= 3; ++storey) {
    const std::string s = std::to_string(storey);
    structure["members"].push_back(
        {{"name", "beam-" + s}, {"from", "L" + s}, {"to", "R" + s}, {"section", "IPE 300"}, {"elements", 6}});
  }
  return projectAround(std::move(structure),
                       Json::parse(R"({"by": "position", "axis": "y", "position_m": 3.2, "physical_side": "before",
                         "reduction": {"physical": {"method": "craig-bampton", "modes": 8}}})"),
                       "L3.x");
}

inline Json building(int storeys) {
  Json structure = Json::parse(R"({"kind": "shear-building", "storeys": []})");
  for (int i = 1; i <= storeys; ++i)
    structure["storeys"].push_back(
        {{"name", std::to_string(i)}, {"mass_kg", 1000}, {"stiffness_n_per_m", 2e6}, {"damping_n_s_per_m", 2000}});
  return projectAround(std::move(structure), Json::parse(R"({"by": "position", "axis": "y", "position_m": 2})"), "1");
}

}  // namespace hyb::ui::testing
