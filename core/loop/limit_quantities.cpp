#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "core/loop/limit_quantity.h"

namespace hyb {
namespace {

using Sample = SafetySample;

template <RigStatus status>
double isStatus(const Sample& s, std::size_t) noexcept {
  return s.rig_status == status ? 1.0 : 0.0;
}

constexpr LimitQuantity kLimitQuantities[] = {
    {.name = "command", .signal = commandOf, .values = &Sample::command, .recommended = Recommended::every_test},
    {.name = "command-rate", .signal = commandOf, .values = &Sample::command_rate, .rate = true, .of_change = true},
    {.name = "command-step", .signal = commandOf, .values = &Sample::command_step, .of_change = true},
    {.name = "displacement", .signal = motionOf, .values = &Sample::measured, .recommended = Recommended::every_test},
    {.name = "velocity", .signal = motionOf, .values = &Sample::velocity, .rate = true},
    {.name = "force", .signal = forceOf, .values = &Sample::force, .recommended = Recommended::every_test},
    {.name = "gap", .signal = targetOf, .values = &Sample::gap, .recommended = Recommended::every_test, .of_gap = true},
    {.name = "signal",
     .threshold = "threshold",
     .read = [](const Sample& s,
                std::size_t c) noexcept { return c < s.further.size() ? magnitude(s.further[c]) : 0.0; },
     .of_column = true},
    {.name = "energy-error",
     .unit = "J",
     .threshold = "threshold_j",
     .read = [](const Sample& s, std::size_t) noexcept { return magnitude(s.energy_error_j); },
     .of_gap = true},
    {.name = "not-a-number",
     .counted = true,
     .read = [](const Sample& s, std::size_t) noexcept { return s.finite ? 0.0 : 1.0; }},
    {.name = "stale-data",
     .unit = "ticks",
     .threshold = "threshold_ticks",
     .counted = true,
     .read = [](const Sample& s, std::size_t) noexcept { return static_cast<double>(s.stale_ticks); },
     .recommended = Recommended::on_rigs,
     .of_silence = true},
    {.name = "missed-ticks",
     .unit = "periods",
     .threshold = "threshold_ticks",
     .called = "missed periods",
     .counted = true,
     .read = [](const Sample& s, std::size_t) noexcept { return static_cast<double>(s.missed_ticks); },
     .recommended = Recommended::on_rigs},
    {.name = "energy-growth",
     .unit = "1/s",
     .threshold = "threshold_per_s",
     .read = [](const Sample& s, std::size_t) noexcept { return magnitude(s.energy_growth_per_s); },
     .of_growth = true,
     .of_gap = true},
    {.name = "link-errors",
     .unit = "frames",
     .threshold = "threshold_frames",
     .counted = true,
     .read = [](const Sample& s, std::size_t) noexcept { return static_cast<double>(s.link_errors); },
     .of_link = true},
    {.name = "link-lost",
     .counted = true,
     .read = isStatus<RigStatus::link_lost>,
     .recommended = Recommended::on_rigs,
     .ends = EndReason::link_lost,
     .status = RigStatus::link_lost},
    {.name = "interlock",
     .counted = true,
     .read = isStatus<RigStatus::interlock>,
     .recommended = Recommended::on_rigs_with_interlocks,
     .ends = EndReason::interlock,
     .status = RigStatus::interlock},
};

}  // namespace

std::string words(const LimitQuantity& quantity) {
  std::string called(quantity.called.empty() ? quantity.name : quantity.called);
  std::replace(called.begin(), called.end(), '-', ' ');
  return called;
}

std::span<const LimitQuantity> limitQuantities() noexcept { return kLimitQuantities; }

const LimitQuantity* limitQuantity(std::string_view name) {
  const auto found = std::find_if(std::begin(kLimitQuantities), std::end(kLimitQuantities),
                                  [&](const LimitQuantity& quantity) { return quantity.name == name; });
  if (found == std::end(kLimitQuantities))
    throw InputError("/quantity",
                     "is \"" + std::string(name) + "\", which is not a quantity that a limit can monitor.");
  return found;
}

}  // namespace hyb
