#include "core/stability/stable_delays.h"

#include <algorithm>
#include <cmath>

#include "core/base/numbers.h"
#include "core/stability/characteristic.h"
#include "core/stability/cutoff_line.h"

namespace hyb {
namespace {

/// Islands need one root count per crossing: minutes for many interface DOF.
constexpr std::size_t kMostInterfaces = 2;

/// Roots to the right of the axis, one of each pair.
int rightOf(const std::vector<std::complex<double>>& roots) {
  return static_cast<int>(  // an undamped structure has its roots on the axis, except for rounding
      std::count_if(roots.begin(), roots.end(), [](auto& root) { return root.real() > 1e-10 * std::abs(root); }));
}

}  // namespace

std::vector<DelayInterval> stableDelays(const DelaySystem& system, double cutoff_hz, double max_delay_s) {
  DelayedLoop loop(system, cutoff_hz);
  return stableDelays(loop, max_delay_s);
}

std::vector<DelayInterval> stableDelays(DelayedLoop& loop, double max_delay_s) {
  const DelaySystem& system = loop.system();
  const double cutoff_hz = loop.cutoff_hz();
  requireSound(system, max_delay_s, cutoff_hz);
  int right = rightOf(loop.roots());
  if (system.partition.interface.size() > kMostInterfaces) {
    if (right > 0) return {};
    const std::optional<Crossing> margin = loop.criticalDelay(max_delay_s);
    return {{0.0, margin ? margin->delay_s : max_delay_s}};
  }
  const std::optional<double> entry_s = firstEntryThroughCutoff(system, kTwoPi * cutoff_hz, max_delay_s);

  struct Change {
    double delay_s;
    int roots;
  };
  std::vector<Change> changes;
  for (const Crossing& crossing : loop.crossings(max_delay_s))
    changes.push_back({crossing.delay_s, crossing.destabilising ? 1 : -1});
  // If the loop is already unstable, the first root on the line may also be a leaving one.
  if (entry_s) changes.push_back({*entry_s, 1});
  changes.push_back({max_delay_s, 0});
  std::stable_sort(changes.begin(), changes.end(), [](auto& a, auto& b) { return a.delay_s < b.delay_s; });

  std::vector<DelayInterval> stable;
  double from_s = 0.0;
  for (const Change& change : changes) {
    const auto without = [&](double share) {
      return rightOf(rightmostRoots(system, from_s + share * (change.delay_s - from_s), cutoff_hz)) == 0;
    };
    const bool counted = right <= 0 && change.delay_s > from_s;
    // More roots may have entered through the line after the first.
    if (counted && (!entry_s || change.delay_s <= *entry_s || (without(0.01) && without(0.5) && without(0.99)))) {
      if (!stable.empty() && stable.back().to_s == from_s)
        stable.back().to_s = change.delay_s;
      else
        stable.push_back({from_s, change.delay_s});
    }
    right += change.roots;
    from_s = change.delay_s;
  }
  return stable;
}

}  // namespace hyb
