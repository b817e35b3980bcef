#pragma once
#include <string>
#include <vector>

#include "core/base/checks.h"
#include "core/data/channel.h"
#include "core/structure/partition.h"

namespace hyb {

/// A DOF of the structure that a test records besides its interface axes. Its columns: its motion on the numerical side
/// and, if it is computed, in the uncut structure; for DOF of the cut also the measured motion.
struct RecordedDof {
  Eigen::Index in_numerical = -1, in_reference = -1;  // -1: a DOF of the cut behind actuator axes
  Eigen::Index in_cut = -1;                           // of cut_dofs, or of the interface; -1: not at the cut
  std::vector<Channel> columns;
};

/// Names of the columns of recorded DOF `k`, from 1.
std::string numericalColumn(std::size_t k);
std::string referenceColumn(std::size_t k);
std::string measuredColumn(std::size_t k);

/// Faults at "/record/<k>": unknown names, names given twice, DOF inside the specimen. `reference`: the uncut structure
/// is computed.
std::vector<RecordedDof> recordedDofs(const std::vector<std::string>& names, const Partition& partition, bool reference,
                                      Checks& checks);

}  // namespace hyb
