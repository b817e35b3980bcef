#include <algorithm>
#include <cmath>

#include "core/base/numbers.h"
#include "core/stability/characteristic.h"

namespace hyb {
namespace {

using Complex = std::complex<double>;
constexpr std::size_t kOutside = static_cast<std::size_t>(-1);

/// The roots at one delay, and their velocities with the delay.
struct Snapshot {
  double delay_s;
  std::vector<Complex> roots, speed;  // 1/s, 1/s per s
};

class Follower {
 public:
  /// Keeps a reference to `system`.
  Follower(const DelaySystem& system, double cutoff_hz) : system_(system), cutoff_hz_(cutoff_hz) {}

  Snapshot at(double delay_s) const {
    Snapshot snapshot{delay_s, rightmostRoots(system_, delay_s, cutoff_hz_), {}};
    const Characteristic f(system_, delay_s);
    for (const Complex root : snapshot.roots) snapshot.speed.push_back(f.speedOfRoot(root));
    return snapshot;
  }

  /// For every root of `to`, the corresponding root of `from`; kOutside if it was outside.
  std::vector<std::size_t> origins(const Snapshot& from, const Snapshot& to, int depth) const {
    std::vector<std::size_t> origin(to.roots.size(), kOutside);
    if (match(from, to, origin) || depth == 0) return origin;
    const Snapshot middle = at(0.5 * (from.delay_s + to.delay_s));
    const std::vector<std::size_t> first = origins(from, middle, depth - 1), second = origins(middle, to, depth - 1);
    for (std::size_t i = 0; i < origin.size(); ++i) origin[i] = second[i] == kOutside ? kOutside : first[second[i]];
    return origin;
  }

 private:
  /// Nearest pairs first, with each root predicted from the motion of both ends. False if a root may have been missed:
  /// one is left over on either side.
  static bool match(const Snapshot& from, const Snapshot& to, std::vector<std::size_t>& origin) {
    struct Pair {
      double distance;
      std::size_t from, to;
    };
    const double step_s = to.delay_s - from.delay_s;
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < from.roots.size(); ++i)
      for (std::size_t j = 0; j < to.roots.size(); ++j) {
        const Complex motion = 0.5 * step_s * (from.speed[i] + to.speed[j]);
        const double distance = std::abs(from.roots[i] + motion - to.roots[j]);
        if (distance < 0.5 * std::min(roomAround(from.roots, i), roomAround(to.roots, j)))
          pairs.push_back({distance, i, j});
      }
    std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.distance < b.distance; });
    std::vector<bool> used(from.roots.size(), false);
    std::size_t matched = 0;
    for (const Pair& pair : pairs) {
      if (used[pair.from] || origin[pair.to] != kOutside) continue;
      used[pair.from] = true;
      origin[pair.to] = pair.from;
      ++matched;
    }
    return matched == from.roots.size() || matched == to.roots.size();
  }

  /// Distance to the nearest other root; a share of the root's magnitude if it is alone.
  static double roomAround(const std::vector<Complex>& roots, std::size_t i) {
    double room = 0.2 * std::abs(roots[i]);
    for (std::size_t j = 0; j < roots.size(); ++j)
      if (j != i) room = std::min(room, std::abs(roots[j] - roots[i]));
    return room;
  }

  const DelaySystem& system_;
  double cutoff_hz_;
};

}  // namespace

RootLocus rootLocus(const DelaySystem& system, const std::vector<double>& delays_s, double cutoff_hz) {
  for (const double delay_s : delays_s) requireSound(system, delay_s, cutoff_hz);
  const DelaySystem small = condensedFor(system, cutoff_hz);
  const Follower follower(small, cutoff_hz);
  constexpr int halvings = 6;

  RootLocus locus;
  std::vector<std::size_t> branch;  // of every root of the last snapshot
  std::size_t branches = 0;
  Snapshot last;
  for (const double delay_s : delays_s) {
    Snapshot now = follower.at(delay_s);
    std::vector<std::size_t> now_branch(now.roots.size(), kOutside);
    if (!locus.delay_s.empty()) {
      const std::vector<std::size_t> origin = follower.origins(last, now, halvings);
      for (std::size_t i = 0; i < origin.size(); ++i)
        if (origin[i] != kOutside) now_branch[i] = branch[origin[i]];
    }
    for (std::size_t& b : now_branch)
      if (b == kOutside) b = branches++;
    std::vector<Complex> row(branches, Complex(kNoValue, kNoValue));
    for (std::size_t i = 0; i < now.roots.size(); ++i) row[now_branch[i]] = now.roots[i];
    locus.delay_s.push_back(delay_s);
    locus.roots.push_back(std::move(row));
    last = std::move(now);
    branch = std::move(now_branch);
  }
  for (std::vector<Complex>& row : locus.roots) row.resize(branches, Complex(kNoValue, kNoValue));
  return locus;
}

}  // namespace hyb
