#include "core/stability/interface_sweep.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/stability/characteristic.h"
#include "core/stability/condensed_side.h"

namespace hyb {
namespace {

double lowestClampedHz(const CondensedSide& side) {
  return side.clampedOmega().size() > 0 ? side.clampedOmega()[0] / kTwoPi : 0.0;
}

CutPoint examine(const Model& model, CutByPosition where, double cutoff_hz, double max_delay_s) {
  CutPoint point;
  point.position_m = where.position_m;
  try {
    PartitionSpec spec;
    spec.cut = where;
    // Both condensed sides still have the clamped modes of the whole.
    const DelaySystem system = condensedFor({cut(model, spec), {}, {}}, cutoff_hz);
    point.numerical_clamped_hz = lowestClampedHz(system.sides->numerical);
    point.physical_clamped_hz = lowestClampedHz(system.sides->physical);
    point.critical = criticalDelay(system, cutoff_hz, max_delay_s);
  } catch (const InputError& error) {
    point.fault = error.issues().front().message;
  } catch (const std::exception& error) {
    point.fault = error.what();
  }
  return point;
}

}  // namespace

std::vector<CutPoint> sweepInterface(const Model& model, const CutByPosition& like,
                                     const std::vector<double>& positions_m, double cutoff_hz, double max_delay_s,
                                     int threads, const std::function<bool(std::size_t, std::size_t)>& progress) {
  requireSoundRange(max_delay_s, cutoff_hz);
  const std::size_t total = positions_m.size();
  std::vector<CutPoint> points(total);
  for (std::size_t i = 0; i < total; ++i) {
    points[i].position_m = positions_m[i];
    points[i].fault = "not analysed";
  }
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex telling;
  std::size_t done = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < total && !stop; i = next++) {
      CutByPosition where = like;
      where.position_m = positions_m[i];
      points[i] = examine(model, where, cutoff_hz, max_delay_s);
      const std::lock_guard lock(telling);
      ++done;
      if (progress && !stop && !progress(done, total)) stop = true;
    }
  };
  std::vector<std::jthread> helpers;
  for (int i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
  helpers.clear();  // waits for the helpers
  return points;
}

}  // namespace hyb
