#include "core/coupling/gap_loop.h"

#include <cmath>
#include <limits>

#include "core/base/numbers.h"

namespace hyb {
namespace {

std::complex<double> errorOf(double factor, double turn_deg) { return std::polar(factor, turn_deg * kPi / 180.0); }

ErrorMap mapErrors(const ErrorOutcome& outcome) {
  constexpr int apart_deg = 15, octaves = 3;
  ErrorMap map;
  for (int turn = -180 + apart_deg; turn <= 180; turn += apart_deg) map.turns_deg.push_back(turn);
  for (int octave = -octaves; octave <= octaves; ++octave) map.factors.push_back(std::ldexp(1.0, octave));
  map.values.resize(static_cast<Eigen::Index>(map.turns_deg.size()), static_cast<Eigen::Index>(map.factors.size()));
  for (Eigen::Index t = 0; t < map.values.rows(); ++t)
    for (Eigen::Index f = 0; f < map.values.cols(); ++f)
      map.values(t, f) =
          outcome(errorOf(map.factors[static_cast<std::size_t>(f)], map.turns_deg[static_cast<std::size_t>(t)]));
  return map;
}

/// Angle from 0 towards `end_deg` at which growth starts; `end_deg` if there is none.
double firstGrowth_deg(const ErrorOutcome& growth, double end_deg) {
  constexpr double apart_deg = 15.0, enough_deg = 0.01;
  const double step_deg = std::copysign(apart_deg, end_deg);
  double inside = 0.0, outside = step_deg;
  while (growth(errorOf(1.0, outside)) < 0.0) {
    if (std::abs(outside) >= std::abs(end_deg)) return end_deg;
    inside = outside;
    outside += step_deg;
  }
  while (std::abs(outside - inside) > enough_deg) {
    const double middle = 0.5 * (inside + outside);
    (growth(errorOf(1.0, middle)) < 0.0 ? inside : outside) = middle;
  }
  return inside;
}

}  // namespace

ErrorMap mapGrowth(const ErrorOutcome& growth_per_s) {
  ErrorMap map = mapErrors(growth_per_s);
  map.grows = true;
  if (!(growth_per_s(1.0) < 0.0)) return map;
  map.from_deg = firstGrowth_deg(growth_per_s, -180.0);
  map.to_deg = firstGrowth_deg(growth_per_s, 180.0);
  return map;
}

ErrorMap mapGapLeft(const ErrorOutcome& share) { return mapErrors(share); }

double largestStableFactor(const std::function<bool(double factor)>& stable) {
  constexpr double least = 1e-4, most = 1e12, step = 1.3;
  double below = least;
  if (!stable(below)) return 0.0;
  double above = below * step;
  while (stable(above)) {
    if (above > most) return std::numeric_limits<double>::infinity();
    below = above;
    above *= step;
  }
  while (above > below * (1.0 + 1e-7)) {
    const double middle = std::sqrt(above * below);
    (stable(middle) ? below : above) = middle;
  }
  return below;
}

}  // namespace hyb
