#pragma once
#include <optional>
#include <vector>

#include "core/gait/walker_row.h"
#include "core/project/project.h"

namespace hyb {

/// Reference gait of a test with a walker: the same walker on two sound legs, none on a rig, tick by tick from the
/// first tick of the test (it stands still during the approach).
class ReferenceGait {
 public:
  ReferenceGait(const Walker& walker, const WalkerParams& tested, std::int64_t approach_ticks);
  const WalkerParams& params() const noexcept { return walker_.params(); }
  const WalkerParams& tested() const noexcept { return tested_; }  // parameters of the walker in the test
  /// Row of this tick of a trial; after a fall, the last row before it. Rows up to the tick are computed and stored.
  const WalkerRow& at(std::uint64_t tick);
  /// Tick of its fall; none if it has not fallen so far.
  std::optional<std::uint64_t> fallsAt() const noexcept { return falls_at_; }

 private:
  Walker walker_;
  WalkerParams tested_;
  std::uint64_t approach_ticks_;
  std::vector<WalkerRow> rows_;
  std::optional<std::uint64_t> falls_at_;
};

/// None: the project has no walker.
std::optional<ReferenceGait> referenceGait(const Project& project);

}  // namespace hyb
