#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json_fwd.h"
#include "core/data/table.h"
#include "core/harmonic/continuation_path.h"
#include "core/run/run_record.h"

namespace hyb {

/// A point on a path, for the first interface and the first balanced harmonic.
struct PathPlace {
  double frequency_hz = 0.0, amplitude = 0.0;  // m (rad)
};

/// Result of a continuation.
struct ContinuationFigures {
  std::size_t points = 0, unstable = 0, missed = 0;  // missed: points that were not found
  std::vector<PathPlace> folds;                      // of the response, in its order
  std::optional<PathPlace> peak;                     // of the response, if it has a largest amplitude inside the path
  std::vector<PathPlace> backbone;
  /// f^2 = linear^2 + hardening a^2, least squares over the backbone. A spring k x + k3 x^3 on a mass m has hardening =
  /// 3 k3/(16 pi^2 m) as long as the motion is sinusoidal.
  std::optional<double> linear_hz, hardening_hz2_per_m2;
  std::vector<std::pair<PathKind, PathEnd>> ends;  // of the finished paths
};
/// None if this is not a continuation. A fold is an extremum of the frequency over the path length, a peak an extremum
/// of the amplitude. Both are taken from the parabola through the three points around it.
std::optional<ContinuationFigures> continuationFigures(const Table& segments);
/// Of a run; none without segments.
std::optional<ContinuationFigures> continuationOf(const RunRecord& run);

/// "63 points, 24 of them unstable; 2 folds, at 7.62 and 7.35 Hz; peak 6.27 mm (mrad) at 7.62 Hz; backbone from 7.12
/// Hz"
std::string continuationText(const ContinuationFigures& figures);

/// "points", "unstable_points", "folds", "peak", "backbone", "ends", as in `metrics`.
Json figuresJson(const ContinuationFigures& figures);

}  // namespace hyb
