#include "core/gait/walker_row.h"

namespace hyb {

WalkerRow walkerRow(const Walker& walker) noexcept {
  const WalkerState& walks = walker.state();
  const LegForces left = walker.forces(WalkerLeg::left), right = walker.forces(WalkerLeg::right);
  const PlanePoint left_foot = walker.footPoint(WalkerLeg::left), right_foot = walker.footPoint(WalkerLeg::right);
  const auto rolled = [&](WalkerLeg leg, const LegForces& forces) {
    return walker.leg(leg).stands ? forces.pressure_x_m - walker.leg(leg).foot_x_m : 0.0;
  };
  return {walks.x_m,
          walks.y_m,
          walks.vx_m_per_s,
          walks.trunk_rad,
          walker.hipX(),
          walker.hipY(),
          left_foot.x_m,
          left_foot.y_m,
          right_foot.x_m,
          right_foot.y_m,
          left.x_n,
          left.y_n,
          right.x_n,
          right.y_n,
          rolled(WalkerLeg::left, left),
          rolled(WalkerLeg::right, right),
          left.torque_n_m,
          right.torque_n_m,
          static_cast<double>(walker.steps())};
}

}  // namespace hyb
