#pragma once
#include "core/structure/lumped.h"
#include "core/structure/partition.h"

namespace hyb::test {

/// Three masses of 2.2 kg between two walls, four springs of 9000 N/m and dampers of 30 N s/m:
/// left wall - left - middle - right - right wall. Wallace, Wagg, Neild 2005, section 2.
inline LumpedStructure threeMass() {
  const double m = 2.2, k = 9000.0, c = 30.0;
  LumpedStructure structure;
  structure.masses = {{"left", m}, {"middle", m}, {"right", m}};
  structure.supports = {{"left wall"}, {"right wall"}};
  structure.links = {{"left spring", "left wall", "left", k, c},
                     {"inner left spring", "left", "middle", k, c},
                     {"inner right spring", "middle", "right", k, c},
                     {"right spring", "right", "right wall", k, c}};
  return structure;
}

/// The middle mass with its two springs on the rig; interface at the two outer masses.
inline PartitionSpec threeMassPartition() { return {{"middle", "inner left spring", "inner right spring"}}; }

}  // namespace hyb::test
