#include "core/assess/reference_gait.h"

#include <cmath>

#include "core/run/build.h"

namespace hyb {
namespace {

Walker onSoundLegs(const Walker& walker, const Project& project) {
  WalkerParams params = walker.params();
  params.stump.reset();
  return {params, walker.start(), project.integrator.scheme, 1.0 / project.loop.rate_hz, project.integrator.substeps};
}

}  // namespace

ReferenceGait::ReferenceGait(const Walker& walker, const WalkerParams& tested, std::int64_t approach_ticks)
    : walker_(walker), tested_(tested), approach_ticks_(static_cast<std::uint64_t>(approach_ticks)) {
  walker_.reset();
  rows_.push_back(walkerRow(walker_));
}

const WalkerRow& ReferenceGait::at(std::uint64_t tick) {
  if (tick <= approach_ticks_) return rows_.front();
  const std::uint64_t walked = tick - approach_ticks_;
  while (rows_.size() <= walked && !falls_at_) {
    walker_.advance();
    if (walker_.fallen())
      falls_at_ = approach_ticks_ + rows_.size();
    else
      rows_.push_back(walkerRow(walker_));
  }
  return walked < rows_.size() ? rows_[walked] : rows_.back();
}

std::optional<ReferenceGait> referenceGait(const Project& project) {
  const std::optional<double> approach_s = project.coupling->walkerApproach_s();
  if (!approach_s) return {};
  const double tick_s = 1.0 / project.loop.rate_hz;
  const auto walker = project.coupling->walker(buildPartition(project), project.integrator, tick_s);
  return ReferenceGait(onSoundLegs(*walker, project), walker->params(), std::llround(*approach_s / tick_s));
}

}  // namespace hyb
