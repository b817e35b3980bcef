#pragma once
#include "core/structure/lumped.h"
#include "core/structure/partition.h"

namespace hyb::test {

/// Three masses of 2.2 kg between two walls, four springs of 9000 N/m and dampers of 30 N s/m:
/// wall-1 - m1 - m3 - m2 - wall-2, in this order. Wallace, Wagg, Neild 2005, section 2.
inline LumpedStructure threeMassStructure() {
  const double m = 2.2, k = 9000.0, c = 30.0;
  LumpedStructure structure;
  structure.masses = {{"m1", m}, {"m3", m}, {"m2", m}};
  structure.supports = {{"wall-1"}, {"wall-2"}};
  structure.links = {
      {"k1", "wall-1", "m1", k, c}, {"k31", "m1", "m3", k, c}, {"k32", "m3", "m2", k, c}, {"k2", "m2", "wall-2", k, c}};
  return structure;
}

inline Model threeMass() { return lumpedModel(threeMassStructure()); }

/// The middle mass with its two springs on the rig; interface m1 and m2.
inline PartitionSpec threeMassPartition() {
  PartitionSpec spec;
  spec.cut = CutByElements{{"m3", "k31", "k32"}};
  return spec;
}

}  // namespace hyb::test
