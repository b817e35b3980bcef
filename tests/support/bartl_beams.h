#pragma once
#include <algorithm>
#include <array>
#include <complex>
#include <stdexcept>

#include "core/base/numbers.h"
#include "core/linalg/dense.h"
#include "core/project/project.h"
#include "core/structure/partition.h"

namespace hyb::test {

/// `two-beams-aff` with one excitation frequency, the note's settings of the law, and time to learn.
inline Json bartlBeams(double hz, double time_s) {
  Json document = templateDocument("two-beams-aff");
  document["excitation"]["signals"][0]["frequency_hz"] = hz;
  document["coupling"]["frequency_hz"] = hz;
  document["coupling"]["adaption"] = {{"law", "rls-simultaneous"},
                                      {"forgetting", 0.999},
                                      {"running_forgetting", 0.9999},
                                      {"identification_forgetting", 0.9999},
                                      {"start_weight_m2_per_n2", 1e-12}};
  document["coupling"]["identification"].update({{"duration_s", 5}, {"hold_s", 0.5}, {"skip_s", 0}, {"rest_s", 5}});
  document["loop"].update({{"duration_s", 10.0 + time_s}, {"soft_start_s", 0}, {"soft_end_s", 0}});
  document["analysis"]["start_s"] = 0;
  document["safety"]["limits"] = Json::parse(R"([{"quantity": "not-a-number", "action": "stop"}])");
  return document;
}

/// `lumped-aff` at one frequency, with the excitation on to the end, for so long.
inline Json bartlLumped(double hz, double time_s) {
  Json document = templateDocument("lumped-aff");
  document["excitation"]["signals"][0]["frequency_hz"] = hz;
  document["coupling"]["frequency_hz"] = hz;
  document["loop"]["soft_end_s"] = 0;
  document["loop"]["duration_s"] = 120.0 + time_s;
  if (hz > 14.0 && hz < 18.0)  // 1 N at a resonance of the computed side moves it by up to a metre
    std::erase_if(document["safety"]["limits"].get_ref<Json::array_t&>(),
                  [](const Json& limit) { return limit["quantity"] == "gap"; });
  return document;
}

/// Longer elements, 20 mm in the thin part: fewer degrees of freedom to compute at each tick. The recorded ones are P
/// and the cut, as in the template.
inline void makeCoarser(Json& document, int thick, int specimen) {
  Json& segments = document["structure"]["segments"];
  segments[0]["elements"] = thick;
  segments[1]["elements"] = 6;
  segments[2]["elements"] = specimen;
  document["excitation"]["loads"][0]["dof"] = "thin/1.y";
  document["coupling"]["record"] = {"thin/1.y", "thin/6.y", "thin/6.rotation"};
  for (Json& actuator : document["partition"]["actuators"])
    for (Json& term : actuator["terms"]) term["dof"] = term["dof"] == "thin/12.y" ? "thin/6.y" : "thin/6.rotation";
}

/// Begins with what the model says, in place of an identification.
inline void takeModel(Json& document, double time_s) {
  document["coupling"]["identification"] = {{"from", "model"}, {"duration_s", 0}, {"rest_s", 0}};
  document["loop"]["duration_s"] = time_s;
  document["analysis"]["start_s"] = 0;
}

inline constexpr double kActuatorsApart_m = 0.08;

/// Deflection at P, where the force acts, deflection and rotation of the cut, for 1 N.
using BeamFrfs = std::array<std::complex<double>, 3>;

inline BeamFrfs ofAxes(std::complex<double> at_p, std::complex<double> z1, std::complex<double> z2) {
  return {at_p, 0.5 * (z1 + z2), (z2 - z1) / kActuatorsApart_m};
}

inline Eigen::Index dofNamed(const SystemMatrices& system, const std::string& name) {
  const auto at =
      std::ranges::find_if(system.dofs, [&](const Dof& dof) { return dof.name == name; }) - system.dofs.begin();
  if (at == std::ssize(system.dofs)) throw std::logic_error("no DOF " + name);
  return at;
}

inline Eigen::MatrixXcd stiffnessAt(const SystemMatrices& system, double hz) {
  const std::complex<double> s(0.0, kTwoPi * hz);
  return s * s * Eigen::MatrixXd(system.m).cast<std::complex<double>>() +
         s * Eigen::MatrixXd(system.c).cast<std::complex<double>>() +
         Eigen::MatrixXd(system.k).cast<std::complex<double>>();
}

/// Of the uncut structure.
inline BeamFrfs uncutFrfs(const Partition& partition, const std::string& loaded, double hz) {
  const SystemMatrices& whole = partition.reference;
  const Eigen::Index p = dofNamed(whole, loaded);
  const Eigen::VectorXcd x = linalg::ComplexLu(stiffnessAt(whole, hz)).solve(Eigen::VectorXcd::Unit(whole.size(), p));
  return ofAxes(x[p], x[partition.interface_in_reference[0]], x[partition.interface_in_reference[1]]);
}

}  // namespace hyb::test
