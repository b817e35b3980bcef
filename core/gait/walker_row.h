#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/gait/walker.h"

namespace hyb {

/// Values of a walker in a row, in this order: sufficient for drawing. SI; x forward, y upward.
enum class WalkerColumn : std::uint8_t {
  body_x,
  body_y,
  body_speed,
  trunk_angle,
  hip_x,
  hip_y,
  left_foot_x,
  left_foot_y,
  right_foot_x,
  right_foot_y,
  left_ground_x,
  left_ground_y,
  right_ground_x,
  right_ground_y,
  left_pressure,  // centre of pressure ahead of the foot
  right_pressure,
  left_torque,
  right_torque,
  steps,
  count
};
constexpr std::size_t kWalkerColumns = static_cast<std::size_t>(WalkerColumn::count);
using WalkerRow = std::array<double, kWalkerColumns>;

/// Row of the present walker. Real-time safe.
WalkerRow walkerRow(const Walker& walker) noexcept;

}  // namespace hyb
