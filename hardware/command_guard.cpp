#include "hardware/command_guard.h"

#include <cmath>

#include "core/base/figure_text.h"
#include "core/rig/device_channels.h"

namespace hyb {
namespace {

constexpr double kRounding = 1.0 + 1e-9;  // tolerance for a bench that enforces the same bound

}  // namespace

std::string CommandGuard::objection(const ChannelSpec& channel, double raw, double last, double periods) const {
  const double value = scaledValue(channel, raw);
  if (std::isnan(raw) || std::isnan(value)) return channel.name + " is not a number";
  if (!std::isfinite(value)) return channel.name + " is infinite";
  const auto axis = static_cast<std::size_t>(channel.interface - 1);
  const Bounds bounds = axis < bounds_.size() ? bounds_[axis] : Bounds{};
  const auto beyond = [&](const char* does, double found, double bound, const std::string& unit) {
    return channel.name + does + quantityText(found, unit) + "; this rig allows " + quantityText(bound, unit);
  };
  if (channel.role == ChannelRole::command_rate)
    return std::abs(value) > kRounding * bounds.rate ? beyond(" is ", std::abs(value), bounds.rate, bounds.rate_unit)
                                                     : std::string();
  const double step = std::abs(value - last) / periods, rate = step / period_s_;
  if (step > kRounding * bounds.step) return beyond(" would step in one tick by ", step, bounds.step, bounds.unit);
  if (rate > kRounding * bounds.rate) return beyond(" would move at ", rate, bounds.rate, bounds.rate_unit);
  return {};
}

}  // namespace hyb
