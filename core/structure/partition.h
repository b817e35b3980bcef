#pragma once
#include <complex>
#include <string>
#include <vector>

#include "core/structure/lumped.h"

namespace hyb {

/// The cut: which masses and links stand on the rig. Everything else is computed.
struct PartitionSpec {
  std::vector<std::string> physical;  // names of masses and links
};

/// Reference structure cut in two. numerical + physical assemble back to reference exactly.
struct Partition {
  SystemMatrices reference;            // n DOF, order of LumpedStructure::masses
  SystemMatrices numerical, physical;  // only the DOF each side touches, in reference order; interface DOF are in both
  std::vector<std::string> interface;  // names of the interface DOF, in reference order
  std::vector<Eigen::Index> interface_in_reference, interface_in_numerical, interface_in_physical;
};

/// Cuts the structure by elements (masses and links). A DOF that both sides touch is an interface DOF. All three
/// systems keep all supports, so that one vector of wall motions drives each of them. Throws InputError (pointers
/// relative to the project: "/partition/physical/0", "/structure/...") on unknown names, an empty side, no interface, a
/// physical part tied to a moving support, a numerical DOF without mass.
Partition cut(const LumpedStructure& structure, const PartitionSpec& spec);

/// Dynamic stiffness D(s) = M s^2 + C s + K, [n, n].
Eigen::MatrixXcd dynamicStiffness(const SystemMatrices& system, std::complex<double> s);

}  // namespace hyb
