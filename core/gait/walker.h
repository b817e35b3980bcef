#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "core/integration/runge_kutta.h"

namespace hyb {

constexpr double kGravity_m_per_s2 = 9.81;

/// Stump between the hip and the foot of an amputated leg: a spring with a dashpot, and at its end, at the cut, a small
/// mass that moves only along the leg.
/// Source: C. Insam, dissertation (TUM 2022), section 16.1.
struct StumpParams {
  double mass_kg = 0.005;
  double stiffness_n_per_m = 11000.0;
  double damping_n_s_per_m = 14.8;
  double length_m = 0.84;  // unloaded, up to the cut
};

/// Virtual pivot point model: a trunk on two massless elastic legs, whose hip torque directs the force of each leg to a
/// point fixed to the trunk above its centre of mass. Plane: x forward, y up; a positive angle of the trunk leans
/// forward, a leg is upright at 90 degrees and leans back (foot ahead) below.
/// Source: C. Insam, dissertation (TUM 2022), section 15.2; the force points from the ground to the pivot, the
/// projection for which the printed start is a gait.
struct WalkerParams {
  double mass_kg = 80.0;
  double inertia_kg_m2 = 5.0;              // of the trunk about its centre of mass
  double leg_stiffness_n_per_m = 13000.0;  // of a sound leg
  double leg_length_m = 1.0;
  double touch_down_rad = 1.2042771838760873;  // 69 degrees
  double pivot_m = 0.25;                       // from the centre of mass up to the virtual pivot
  double hip_m = 0.1;                          // from the centre of mass down to the hip
  /// Range of the centre of pressure: heel_m behind the foot's point at touch-down, under it at 90 degrees, forefoot_m
  /// ahead at roll_off_rad. Equation 16.10.
  double heel_m = 0.0, forefoot_m = 0.0;
  double roll_off_rad = 1.8325957145940461;  // 105 degrees
  double swing_s = 0.08;                     // time in which a leg in the air turns to its angle of touch-down
  std::optional<StumpParams> stump;          // of the right leg; none: both are sound
};

/// Apex of a step: the vertical velocity of the centre of mass is 0, the left foot is directly below the hip and the
/// right leg swings.
struct GaitStart {
  double height_m = 1.086;
  double speed_m_per_s = 1.136;
  double trunk_rad = 0.0;
  double trunk_rate_rad_per_s = -0.145;
};

struct WalkerState {
  double x_m = 0.0, y_m = 0.0, trunk_rad = 0.0;  // centre of mass
  double vx_m_per_s = 0.0, vy_m_per_s = 0.0, trunk_rate_rad_per_s = 0.0;
  double stump_m = 0.0, stump_rate_m_per_s = 0.0;  // length of the stump
};

struct PlanePoint {
  double x_m = 0.0, y_m = 0.0;
};

/// State of a standing or swinging leg.
struct LegState {
  bool stands = false;
  double foot_x_m = 0.0;     // of a standing leg
  double swings_s = 0.0;     // since take-off
  double left_at_rad = 0.0;  // angle at take-off
  double left_at_m = 0.0;    // height of its foot above that of a swinging leg at take-off, along the leg
};

/// Ground force on a leg, and its hip torque.
struct LegForces {
  double x_n = 0.0, y_n = 0.0;
  double torque_n_m = 0.0;    // of the hip, positive if it turns the trunk backward
  double pressure_x_m = 0.0;  // centre of pressure
};

/// Pose of the cut-off foot for the rig: its height above the unloaded foot on the ground, along the leg, and the leg's
/// angle from upright, forward positive.
struct FootPose {
  double along_m = 0.0, along_m_per_s = 0.0;
  double angle_rad = 0.0, angle_rad_per_s = 0.0;
};

enum class WalkerLeg : std::uint8_t { left, right };

/// The running walker, tick by tick, in steps of an explicit Runge-Kutta method. Inside a step it finds the instants of
/// touch-down (the hip of a swinging leg falls through the height of the leg at its angle) and take-off (a leg returns
/// to its unloaded length; one with a stump when the stump or the whole leg does, after it has passed upright: a
/// critically damped stump only creeps back to its length after its foot has left the ground), and continues from
/// there. Neither allocates nor throws except in the constructor.
class Walker {
 public:
  Walker(const WalkerParams& params, const GaitStart& start, Scheme scheme, double tick_s, int substeps);
  Walker(const WalkerParams& params, const GaitStart& start, const ButcherTableau& tableau, double tick_s,
         int substeps);
  void reset() noexcept;
  /// Sets the force on the foot below the stump, N, away from the ground along the leg; without a stump it has no
  /// effect.
  void push(double foot_force_n) noexcept { foot_force_n_ = foot_force_n; }
  /// One tick.
  void advance() noexcept;

  const WalkerParams& params() const noexcept { return params_; }
  const GaitStart& start() const noexcept { return start_; }
  const WalkerState& state() const noexcept { return state_; }
  const LegState& leg(WalkerLeg which) const noexcept { return legs_[static_cast<std::size_t>(which)]; }
  double hipX() const noexcept;
  double hipY() const noexcept;
  /// Ground force on a leg, with the foot's force of the last tick.
  LegForces forces(WalkerLeg which) const noexcept;
  /// Angular acceleration of the trunk, rad/s^2: from the forces about its centre of mass.
  double trunkAcceleration() const noexcept;
  FootPose foot() const noexcept;
  /// Position of a foot; of a swinging one at the end of the unloaded leg, which has no knee and is shortened to stay
  /// above the ground. The rig's foot does not press then either: foot().
  PlanePoint footPoint(WalkerLeg which) const noexcept;
  double legAngle(WalkerLeg which) const noexcept;  // rad
  /// Touch-downs since the start.
  std::int64_t steps() const noexcept { return steps_; }
  /// Hip too low, trunk too far over, not moving forward, or no foot on the ground: all motion stops. It falls in step
  /// steps() + 1.
  bool fallen() const noexcept { return fallen_; }
  /// State at the last touch-down; before the first one, the start.
  const WalkerState& touchDown() const noexcept { return touched_; }
  double touchDownTime() const noexcept { return touched_s_; }  // s since the start
  double time() const noexcept { return time_s_; }

  /// Limits of a fall: hip height as share of the leg at touch-down, and angle.
  static constexpr double kLowestHip = 0.85, kLargestLean_rad = 0.7853981633974483;

 private:
  static constexpr std::size_t kStates = 8, kMostStages = 12;
  using Rates = std::array<double, kStates>;
  struct Forces {
    LegForces legs[2];
    double fx_n = 0.0, fy_n = 0.0;  // of the legs on the trunk
    double turning_n_m = 0.0;       // turns the trunk backward
    double stump_n = 0.0;           // force of the stump on its ends, pushing
  };
  Forces forcesAt(const WalkerState& state) const noexcept;
  Rates rates(const WalkerState& state) const noexcept;
  WalkerState stepped(double h_s) const noexcept;
  double swingsAbove(double hip_y_m) const noexcept;
  double toEvent(std::size_t leg, const WalkerState& state) const noexcept;
  double eventAfter(std::size_t leg, const WalkerState& after, double h_s) const noexcept;
  void step(double h_s) noexcept;
  void take(const WalkerState& state, double h_s) noexcept;
  void change(std::size_t leg) noexcept;
  bool sound(std::size_t leg) const noexcept { return leg == 0 || !params_.stump; }

  WalkerParams params_;
  GaitStart start_;
  std::array<std::array<double, kMostStages>, kMostStages> a_{};
  std::array<double, kMostStages> b_{};
  std::size_t stages_;
  double substep_s_;
  int substeps_;
  double touch_down_sin_, touch_down_cos_, heel_slope_ = 0.0, forefoot_slope_ = 0.0;

  WalkerState state_, touched_;
  std::array<LegState, 2> legs_;
  double foot_force_n_ = 0.0, time_s_ = 0.0, touched_s_ = 0.0;
  std::int64_t steps_ = 0;
  bool fallen_ = false;
};

}  // namespace hyb
