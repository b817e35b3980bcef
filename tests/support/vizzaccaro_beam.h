#pragma once
#include "core/stability/delay_stability.h"
#include "core/structure/structure.h"

namespace hyb::test {

/// Cantilever of Vizzaccaro, Beregi, Barton, Neild (note, section 4), root at x = 0.
inline constexpr double kBeamLength_m = 0.530;
inline DampingSpec vizzaccaroDamping() {
  DampingSpec damping;
  damping.kind = DampingSpec::Kind::rayleigh_factors;
  damping.mass_factor = 0.9;
  damping.stiffness_factor = 7e-5;
  return damping;
}
inline Model vizzaccaroBeam(int elements, const DampingSpec& damping = vizzaccaroDamping()) {
  BeamSection strip;  // 25.4 mm x 1 mm
  strip.name = "strip";
  strip.youngs_modulus_n_per_m2 = 217e9;
  strip.density_kg_per_m3 = 8210.0;
  strip.area_m2 = 25.4e-3 * 1e-3;
  strip.second_moment_m4 = 25.4e-3 * 1e-9 / 12.0;
  BeamStructure beam;
  beam.sections = {strip};
  beam.segments = {{"beam", kBeamLength_m, "strip", elements}};
  beam.supports = {{0.0, true, true}};
  Structure structure;
  structure.kind = beam;
  structure.damping = damping;
  return buildModel(structure);
}

/// The tip beyond the cut stands on the rig.
inline DelaySystem vizzaccaroLoop(int elements, double position_m, const DampingSpec& damping = vizzaccaroDamping()) {
  PartitionSpec spec;
  spec.cut = CutByPosition{false, position_m, true};
  return {cut(vizzaccaroBeam(elements, damping), spec), {}, {}};
}

}  // namespace hyb::test
