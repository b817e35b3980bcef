#include "core/gait/walker.h"

#include <algorithm>
#include <cmath>

#include "core/base/numbers.h"

namespace hyb {
namespace {

constexpr double kUpright_rad = 0.5 * kPi;
constexpr int kMostEvents = 6;  // in one step: more are not a gait

double hipXOf(const WalkerState& state, double hip_m) noexcept { return state.x_m - hip_m * std::sin(state.trunk_rad); }
double hipYOf(const WalkerState& state, double hip_m) noexcept { return state.y_m - hip_m * std::cos(state.trunk_rad); }

double lengthOf(double x_m, double y_m) noexcept { return std::sqrt(x_m * x_m + y_m * y_m); }

double angleOf(double from_foot_x_m, double hip_y_m) noexcept { return kPi - std::atan2(hip_y_m, from_foot_x_m); }

/// Cosine from 1 to 0, and its rate.
struct Fade {
  double share = 0.0, rate_per_s = 0.0;
};
Fade fadeOf(double t_s, double length_s) noexcept {
  if (!(t_s < length_s)) return {};
  const double turn = kPi / length_s;
  return {0.5 * (1.0 + std::cos(turn * t_s)), -0.5 * turn * std::sin(turn * t_s)};
}

}  // namespace

Walker::Walker(const WalkerParams& params, const GaitStart& start, Scheme scheme, double tick_s, int substeps)
    : Walker(params, start, tableau(scheme), tick_s, substeps) {}

Walker::Walker(const WalkerParams& params, const GaitStart& start, const ButcherTableau& tableau, double tick_s,
               int substeps)
    : params_(params),
      start_(start),
      stages_(tableau.b.size()),
      substep_s_(tick_s / substeps),
      substeps_(substeps),
      touch_down_sin_(std::sin(params.touch_down_rad)),
      touch_down_cos_(std::cos(params.touch_down_rad)) {
  for (std::size_t i = 0; i < stages_; ++i) {
    std::copy(tableau.a[i].begin(), tableau.a[i].end(), a_[i].begin());
    b_[i] = tableau.b[i];
  }
  if (params_.heel_m > 0.0) heel_slope_ = params_.heel_m / (kUpright_rad - params_.touch_down_rad);
  if (params_.forefoot_m > 0.0) forefoot_slope_ = params_.forefoot_m / (params_.roll_off_rad - kUpright_rad);
  reset();
}

void Walker::reset() noexcept {
  state_ = {};
  state_.y_m = start_.height_m;
  state_.vx_m_per_s = start_.speed_m_per_s;
  state_.trunk_rad = start_.trunk_rad;
  state_.trunk_rate_rad_per_s = start_.trunk_rate_rad_per_s;
  if (params_.stump) state_.stump_m = params_.stump->length_m;
  legs_[0] = {.stands = true, .foot_x_m = hipX(), .swings_s = 0.0, .left_at_rad = 0.0, .left_at_m = 0.0};
  legs_[1] = {.stands = false, .foot_x_m = 0.0, .swings_s = params_.swing_s, .left_at_rad = 0.0, .left_at_m = 0.0};
  touched_ = state_;
  foot_force_n_ = time_s_ = touched_s_ = 0.0;
  steps_ = 0;
  fallen_ = false;
}

double Walker::hipX() const noexcept { return hipXOf(state_, params_.hip_m); }
double Walker::hipY() const noexcept { return hipYOf(state_, params_.hip_m); }

/// The force of a leg on the trunk points from the centre of pressure to the pivot: along the leg it is the spring
/// force, across it tan(gamma) times that of the foot. The difference between stump and foot force moves the mass
/// between them. Moments use the ground force, so that they include the ankle's.
Walker::Forces Walker::forcesAt(const WalkerState& state) const noexcept {
  Forces forces;
  const double sine = std::sin(state.trunk_rad), cosine = std::cos(state.trunk_rad), hip_m = params_.hip_m;
  const double hip_x = state.x_m - hip_m * sine, hip_y = state.y_m - hip_m * cosine;
  const double pivot_x = state.x_m + params_.pivot_m * sine, pivot_y = state.y_m + params_.pivot_m * cosine;
  for (std::size_t leg = 0; leg < 2; ++leg) {
    if (!legs_[leg].stands) continue;
    const double from_x = hip_x - legs_[leg].foot_x_m, length = lengthOf(from_x, hip_y);
    const double along_x = from_x / length, along_y = hip_y / length;
    double pressure_x = legs_[leg].foot_x_m;
    if (heel_slope_ > 0.0 || forefoot_slope_ > 0.0) {
      const double over = angleOf(from_x, hip_y) - kUpright_rad;
      pressure_x += (over > 0.0 ? forefoot_slope_ : heel_slope_) * over;
    }
    const double up_x = pivot_x - pressure_x;
    const double tangent = (up_x * along_y - pivot_y * along_x) / (up_x * along_x + pivot_y * along_y);
    double ground_n = params_.leg_stiffness_n_per_m * std::max(0.0, params_.leg_length_m - length);
    double extra_n = 0.0;
    if (!sound(leg)) {
      const StumpParams& stump = *params_.stump;
      ground_n = foot_force_n_;
      forces.stump_n = stump.stiffness_n_per_m * (stump.length_m - state.stump_m) -
                       stump.damping_n_s_per_m * state.stump_rate_m_per_s;
      extra_n = forces.stump_n - ground_n;
    }
    LegForces& own = forces.legs[leg];
    own.x_n = ground_n * (along_x + tangent * along_y);
    own.y_n = ground_n * (along_y - tangent * along_x);
    own.pressure_x_m = pressure_x;
    const double turning = params_.pivot_m * (sine * own.y_n - cosine * own.x_n);
    own.torque_n_m = turning - hip_m * (cosine * own.x_n - sine * own.y_n);
    forces.fx_n += own.x_n + extra_n * along_x;
    forces.fy_n += own.y_n + extra_n * along_y;
    forces.turning_n_m += turning + hip_m * extra_n * (cosine * along_x - sine * along_y);
  }
  return forces;
}

Walker::Rates Walker::rates(const WalkerState& state) const noexcept {
  const Forces forces = forcesAt(state);
  const bool loaded = params_.stump && legs_[1].stands;
  return {state.vx_m_per_s,
          state.vy_m_per_s,
          state.trunk_rate_rad_per_s,
          forces.fx_n / params_.mass_kg,
          forces.fy_n / params_.mass_kg - kGravity_m_per_s2,
          -forces.turning_n_m / params_.inertia_kg_m2,
          loaded ? state.stump_rate_m_per_s : 0.0,
          loaded ? (forces.stump_n - foot_force_n_) / params_.stump->mass_kg : 0.0};
}

/// State after a step of h_s while no leg changes.
WalkerState Walker::stepped(double h_s) const noexcept {
  std::array<Rates, kMostStages> slopes;
  const auto sum = [&](const std::array<double, kMostStages>& weights, std::size_t count) noexcept {
    Rates way{};
    for (std::size_t j = 0; j < count; ++j)
      if (weights[j] != 0.0)
        for (std::size_t s = 0; s < kStates; ++s) way[s] += weights[j] * slopes[j][s];
    WalkerState next = state_;
    next.x_m += h_s * way[0];
    next.y_m += h_s * way[1];
    next.trunk_rad += h_s * way[2];
    next.vx_m_per_s += h_s * way[3];
    next.vy_m_per_s += h_s * way[4];
    next.trunk_rate_rad_per_s += h_s * way[5];
    next.stump_m += h_s * way[6];
    next.stump_rate_m_per_s += h_s * way[7];
    return next;
  };
  for (std::size_t i = 0; i < stages_; ++i) slopes[i] = rates(i == 0 ? state_ : sum(a_[i], i));
  return sum(b_, stages_);
}

/// Function that falls through zero when a leg changes between standing and swinging.
double Walker::toEvent(std::size_t leg, const WalkerState& state) const noexcept {
  const double hip_y = hipYOf(state, params_.hip_m);
  if (!legs_[leg].stands) return hip_y - params_.leg_length_m * touch_down_sin_;
  const double from_x = hipXOf(state, params_.hip_m) - legs_[leg].foot_x_m;
  if (sound(leg)) return params_.leg_length_m - lengthOf(from_x, hip_y);
  // Before it has passed upright, a stump only receives the first pushes of its foot.
  if (from_x < 0.0) return 1.0;
  return std::min(params_.stump->length_m - state.stump_m, params_.leg_length_m - lengthOf(from_x, hip_y));
}

/// Time of the leg change within the step of h_s that leads to `after`; beyond the step: none. Regula falsi with halved
/// weights (Illinois).
double Walker::eventAfter(std::size_t leg, const WalkerState& after, double h_s) const noexcept {
  constexpr int kMost = 40;
  const double before = toEvent(leg, state_), behind = toEvent(leg, after);
  if (behind > 0.0) return 2.0 * h_s;
  if (!(before > 0.0)) return legs_[leg].stands ? 0.0 : 2.0 * h_s;  // a hip that is already low does not fall through
  double a = 0.0, b = h_s, value_a = before, value_b = behind;
  for (int k = 0; k < kMost && std::abs(b - a) > 1e-13 * h_s && value_b != 0.0; ++k) {
    const double at = b - value_b * (b - a) / (value_b - value_a), value = toEvent(leg, stepped(at));
    if ((value > 0.0) != (value_b > 0.0)) {
      a = b;
      value_a = value_b;
    } else {
      value_a *= 0.5;
    }
    b = at;
    value_b = value;
  }
  return b;
}

/// Height of a swinging foot above the ground along its leg, m; it never presses.
double Walker::swingsAbove(double hip_y_m) const noexcept {
  return std::max(0.0, hip_y_m / touch_down_sin_ - params_.leg_length_m);
}

void Walker::take(const WalkerState& state, double h_s) noexcept {
  state_ = state;
  time_s_ += h_s;
  for (LegState& leg : legs_)
    if (!leg.stands) leg.swings_s += h_s;
}

void Walker::change(std::size_t which) noexcept {
  LegState& leg = legs_[which];
  if (!leg.stands) {
    leg.stands = true;
    leg.foot_x_m = hipX() + params_.leg_length_m * touch_down_cos_;
    ++steps_;
    touched_ = state_;
    touched_s_ = time_s_;
    return;
  }
  const double from_x = hipX() - leg.foot_x_m, hip_y = hipY();
  leg.left_at_rad = angleOf(from_x, hip_y);
  leg.left_at_m = lengthOf(from_x, hip_y) - params_.leg_length_m - swingsAbove(hip_y);
  leg.stands = false;
  leg.swings_s = 0.0;
  if (sound(which)) return;
  leg.left_at_m += params_.stump->length_m - state_.stump_m;
  state_.stump_m = params_.stump->length_m;
  state_.stump_rate_m_per_s = 0.0;
}

void Walker::step(double h_s) noexcept {
  double left_s = h_s;
  for (int events = 0; events < kMostEvents && left_s > 0.0; ++events) {
    const WalkerState after = stepped(left_s);
    std::size_t first = 0;
    double at_s = 2.0 * left_s;
    for (std::size_t leg = 0; leg < 2; ++leg)
      if (const double found_s = eventAfter(leg, after, left_s); found_s < at_s) {
        at_s = found_s;
        first = leg;
      }
    if (!(at_s <= left_s)) {
      take(after, left_s);
      return;
    }
    take(stepped(at_s), at_s);
    change(first);
    left_s -= at_s;
  }
}

void Walker::advance() noexcept {
  if (fallen_) return;
  for (int k = 0; k < substeps_; ++k) step(substep_s_);
  const double lowest_m = kLowestHip * params_.leg_length_m * touch_down_sin_;
  fallen_ = !(hipY() > lowest_m && std::abs(state_.trunk_rad) < kLargestLean_rad && state_.vx_m_per_s > 0.0 &&
              (legs_[0].stands || legs_[1].stands));
}

LegForces Walker::forces(WalkerLeg which) const noexcept {
  return forcesAt(state_).legs[static_cast<std::size_t>(which)];
}

double Walker::trunkAcceleration() const noexcept { return rates(state_)[5]; }

double Walker::legAngle(WalkerLeg which) const noexcept {
  const LegState& own = leg(which);
  if (own.stands) return angleOf(hipX() - own.foot_x_m, hipY());
  const double share = fadeOf(own.swings_s, params_.swing_s).share;
  return params_.touch_down_rad + share * (own.left_at_rad - params_.touch_down_rad);
}

PlanePoint Walker::footPoint(WalkerLeg which) const noexcept {
  if (leg(which).stands) return {leg(which).foot_x_m, 0.0};
  const double angle = legAngle(which), sine = std::sin(angle);
  const double length_m = std::min(params_.leg_length_m, hipY() / sine);
  return {hipX() + length_m * std::cos(angle), hipY() - length_m * sine};
}

FootPose Walker::foot() const noexcept {
  const LegState& right = leg(WalkerLeg::right);
  const double hip_y = hipY(), turn = state_.trunk_rate_rad_per_s * params_.hip_m;
  const double hip_vx = state_.vx_m_per_s - turn * std::cos(state_.trunk_rad),
               hip_vy = state_.vy_m_per_s + turn * std::sin(state_.trunk_rad);
  if (!right.stands) {
    const Fade fade = fadeOf(right.swings_s, params_.swing_s);
    const double turned = right.left_at_rad - params_.touch_down_rad;
    const double above_m = swingsAbove(hip_y);
    return {above_m + fade.share * right.left_at_m,
            (above_m > 0.0 ? hip_vy / touch_down_sin_ : 0.0) + fade.rate_per_s * right.left_at_m,
            params_.touch_down_rad + fade.share * turned - kUpright_rad, fade.rate_per_s * turned};
  }
  const double from_x = hipX() - right.foot_x_m, length = lengthOf(from_x, hip_y);
  const double shorter_m = params_.stump ? params_.stump->length_m - state_.stump_m : 0.0;
  return {length - params_.leg_length_m + shorter_m,
          (from_x * hip_vx + hip_y * hip_vy) / length - (params_.stump ? state_.stump_rate_m_per_s : 0.0),
          angleOf(from_x, hip_y) - kUpright_rad, (hip_y * hip_vx - from_x * hip_vy) / (length * length)};
}

}  // namespace hyb
