#pragma once
#include <optional>
#include <vector>

#include "core/gait/walker_row.h"
#include "core/project/project.h"

namespace hyb {

/// The gait that a test with a walker is held against: the same walker on two sound legs, none of them on a rig, tick
/// by tick as the test has it, from its first tick on (it stands still during the approach).
class ReferenceGait {
 public:
  ReferenceGait(Walker walker, const WalkerParams& tested, std::int64_t approach_ticks);
  const WalkerParams& params() const noexcept { return walker_.params(); }
  const WalkerParams& tested() const noexcept { return tested_; }  // of the walker of the test
  /// Row of this tick of a trial; of one after a fall the last before it. Rows in between are walked and kept.
  const WalkerRow& at(std::uint64_t tick);
  /// It falls in this tick; none, as far as it has been walked.
  std::optional<std::uint64_t> fallsAt() const noexcept { return falls_at_; }

 private:
  Walker walker_;
  WalkerParams tested_;
  std::uint64_t approach_ticks_;
  std::vector<WalkerRow> rows_;
  std::optional<std::uint64_t> falls_at_;
};

/// None: nobody walks in this project.
std::optional<ReferenceGait> referenceGait(const Project& project);

}  // namespace hyb
