#include "core/gait/search.h"

#include <algorithm>
#include <cmath>

#include "core/gait/minimise.h"

namespace hyb {
namespace {

constexpr double kLongestStride_s = 5.0, kFell = 1e3, kFastestTrunk_rad_per_s = 2.0;

/// Deviation over one stride, apex to apex with the left foot on the ground; after a fall larger the earlier it
/// happens.
double deviationOf(const WalkerParams& params, const GaitStart& start, Scheme scheme, double step_s) {
  Walker walker(params, start, scheme, step_s, 1);
  const double leg_m = params.leg_length_m;
  for (WalkerState before = walker.state(); !walker.fallen() && walker.time() < kLongestStride_s;
       before = walker.state()) {
    const double hip_before = walker.hipX();
    walker.advance();
    const WalkerState& after = walker.state();
    const LegState& left = walker.leg(WalkerLeg::left);
    if (walker.steps() < 2 || !left.stands || walker.leg(WalkerLeg::right).stands) continue;
    if (!(before.vy_m_per_s > 0.0 && after.vy_m_per_s <= 0.0)) continue;
    const double share = before.vy_m_per_s / (before.vy_m_per_s - after.vy_m_per_s);
    const auto at = [share](double a, double b) { return a + share * (b - a); };
    return strideDeviation(start,
                           {.height_m = at(before.y_m, after.y_m),
                            .ahead_m = at(hip_before, walker.hipX()) - left.foot_x_m,
                            .speed_m_per_s = at(before.vx_m_per_s, after.vx_m_per_s),
                            .trunk_rad = at(before.trunk_rad, after.trunk_rad),
                            .trunk_rate_rad_per_s = at(before.trunk_rate_rad_per_s, after.trunk_rate_rad_per_s)},
                           leg_m);
  }
  return kFell - walker.time();
}

struct Stride {
  WalkerParams params;
  GaitStart start;
  Scheme scheme = Scheme::rk4;
  double step_s = 1e-3;

  /// x: height in m, rate of the trunk in rad/s.
  GaitStart with(const std::vector<double>& x) const {
    GaitStart changed = start;
    changed.height_m = x[0];
    changed.trunk_rate_rad_per_s = x[1];
    return changed;
  }
  static double deviation(const std::vector<double>& x, const void* self) {
    const auto& stride = *static_cast<const Stride*>(self);
    return deviationOf(stride.params, stride.with(x), stride.scheme, stride.step_s);
  }
};

}  // namespace

double strideDeviation(const GaitStart& start, const StrideEnd& end, double leg_m) noexcept {
  const double height = (end.height_m - start.height_m) / leg_m, place = end.ahead_m / leg_m,
               speed = end.speed_m_per_s / start.speed_m_per_s - 1.0, trunk = end.trunk_rad - start.trunk_rad,
               rate = std::sqrt(leg_m / kGravity_m_per_s2) * (end.trunk_rate_rad_per_s - start.trunk_rate_rad_per_s);
  return std::sqrt(height * height + place * place + speed * speed + trunk * trunk + rate * rate);
}

std::optional<StrideEnd> strideEnd(const StrideColumns& c) noexcept {
  const std::size_t ticks = c.steps.size();
  if (ticks < 3 || c.steps[0] != 0.0) return {};
  const auto on_left = [&c](std::size_t k) { return c.left_ground_y[k] > 0.0 && c.right_ground_y[k] == 0.0; };
  for (std::size_t k = 1; k + 1 < ticks; ++k) {
    if (c.steps[k - 1] < 2.0 || !on_left(k - 1) || !on_left(k) || !on_left(k + 1)) continue;
    if (!(c.body_y[k] > c.body_y[k - 1] && c.body_y[k] >= c.body_y[k + 1])) continue;
    // The parabola through three ticks has its apex `share` ticks after the middle one.
    const auto slope = [k](std::span<const double> q) { return 0.5 * (q[k + 1] - q[k - 1]); };
    const auto curve = [k](std::span<const double> q) { return q[k + 1] - 2.0 * q[k] + q[k - 1]; };
    const double share = -slope(c.body_y) / curve(c.body_y);
    const auto at = [&](std::span<const double> q) { return q[k] + share * slope(q) + 0.5 * share * share * curve(q); };
    return StrideEnd{.height_m = at(c.body_y),
                     .ahead_m = at(c.hip_x) - c.left_foot_x[k],
                     .speed_m_per_s = at(c.body_speed),
                     .trunk_rad = at(c.trunk_angle),
                     .trunk_rate_rad_per_s = (slope(c.trunk_angle) + share * curve(c.trunk_angle)) / c.tick_s};
  }
  return {};
}

FoundGait walkedFrom(WalkerParams params, const GaitStart& start, Scheme scheme, double step_s,
                     const GaitSearch& search) {
  params.stump.reset();
  FoundGait found;
  found.start = start;
  found.deviation = deviationOf(params, start, scheme, step_s);
  Walker walker(params, start, scheme, step_s, 1);
  double last_m_per_s = 0.0;
  const double longest_s = kLongestStride_s * static_cast<double>(search.steps);
  while (walker.steps() < search.steps && !walker.fallen() && walker.time() < longest_s) {
    walker.advance();
    if (walker.steps() == found.steps) continue;
    found.steps = walker.steps();
    const double speed = walker.touchDown().vx_m_per_s;
    if (found.steps > 1) found.speed_variation = std::max(found.speed_variation, std::abs(speed / last_m_per_s - 1.0));
    last_m_per_s = speed;
  }
  found.gait = found.steps >= search.steps && found.speed_variation <= search.speed_variation;
  return found;
}

FoundGait searchGait(WalkerParams params, const GaitStart& from, Scheme scheme, double step_s,
                     const GaitSearch& search) {
  params.stump.reset();
  const Stride stride{.params = params, .start = from, .scheme = scheme, .step_s = step_s};
  const double hip_m = params.hip_m * std::cos(from.trunk_rad), leg_m = params.leg_length_m;
  CostInABox box{.cost = &Stride::deviation,
                 .self = &stride,
                 .generations = search.generations,
                 .population = search.population,
                 .seed = search.seed};
  box.lower = {hip_m + leg_m * std::sin(params.touch_down_rad), -kFastestTrunk_rad_per_s};
  box.upper = {hip_m + leg_m, kFastestTrunk_rad_per_s};
  box.start = {std::clamp(from.height_m, box.lower[0], box.upper[0]),
               std::clamp(from.trunk_rate_rad_per_s, box.lower[1], box.upper[1])};
  return walkedFrom(params, stride.with(minimise(box)), scheme, step_s, search);
}

}  // namespace hyb
