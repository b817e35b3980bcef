#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/base/checks.h"
#include "core/coupling/uncut_structure.h"
#include "core/data/channel.h"
#include "core/structure/partition.h"

namespace hyb {

/// A DOF of the structure that a test records besides its interface axes. Its columns: its motion on the numerical side
/// and, if it is computed, in the uncut structure; for DOF of the cut also the measured motion.
struct RecordedDof {
  Eigen::Index in_numerical = -1, in_reference = -1;  // -1: a DOF of the cut behind actuator axes
  Eigen::Index in_cut = -1;                           // of cut_dofs, or of the interface; -1: not at the cut
  Eigen::RowVectorXd shape = {};  // its motion from the coordinates of a reduced side; empty: not reduced
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
/// Columns of all of them.
std::vector<Channel> columnsOf(const std::vector<RecordedDof>& recorded);

/// Reads the columns of recorded DOF. Real-time safe except for the constructor.
class RecordedMotion {
 public:
  RecordedMotion(std::vector<RecordedDof> recorded, const Partition& partition);
  const std::vector<RecordedDof>& dofs() const noexcept { return recorded_; }
  std::size_t columns() const noexcept { return columns_; }
  /// numerical: coordinates of the numerical side; measured: of the interface axes; uncut: null if it is not computed.
  void read(const Eigen::VectorXd& numerical, const Eigen::VectorXd& measured, const UncutStructure* uncut,
            std::span<double> values) const noexcept;

 private:
  template <typename Axis>
  double atCut(Eigen::Index cut, const Axis& axis) const noexcept;
  std::vector<RecordedDof> recorded_;
  std::vector<Eigen::Index> at_;   // [i], interface in the coordinates of the numerical side
  Eigen::MatrixXd cut_from_axes_;  // DOF of the cut from the interface axes
  std::size_t columns_ = 0;
};

}  // namespace hyb
