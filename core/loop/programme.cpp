#include "core/loop/programme.h"

#include <cmath>

namespace hyb {
namespace {

/// Last tick at most half a step after the length.
std::int64_t ticksWithin(double length_s, double step_s) noexcept {
  const auto beyond = [&](std::int64_t n) { return static_cast<double>(n) * step_s > length_s + 0.5 * step_s; };
  std::int64_t ticks = std::llround(length_s / step_s);
  while (beyond(ticks)) --ticks;
  while (!beyond(ticks + 1)) ++ticks;
  return ticks;
}

}  // namespace

std::int64_t trialTicks(const TrialSpec& spec, double step_s) noexcept { return ticksWithin(spec.length_s, step_s); }

Programme::Programme(double step_s, double duration_s, const TrialSpec& trials) {
  if (trials.count <= 0) {
    segments_.push_back({duration_s > 0.0 ? ticksWithin(duration_s, step_s) : Segment::kEndless, 1, false});
    return;
  }
  for (int trial = 1; trial <= trials.count; ++trial) {
    segments_.push_back({trialTicks(trials, step_s), trial, false});
    if (trial < trials.count) segments_.push_back({ticksWithin(trials.pause_s, step_s), trial, true});
  }
}

bool Programme::overBefore(std::int64_t at) const noexcept {
  for (std::size_t s = index_; at > segments_[s].ticks; ++s) {
    if (s + 1 == segments_.size()) return true;
    at -= segments_[s].ticks;
  }
  return false;
}

}  // namespace hyb
