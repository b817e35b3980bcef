#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "core/error.h"
#include "core/loop/limit_quantity.h"

namespace hyb {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
using Sample = SafetySample;

double magnitude(double value) noexcept {
  const double size = std::abs(value);
  return size <= kInfinity ? size : kInfinity;
}

/// Largest magnitude over the axes that a limit is about.
template <SignalKind (*signal)(const AxisSignals&) noexcept>
double largest(const Sample& sample, const Eigen::VectorXd* values, const LimitPlace& place) noexcept {
  if (values == nullptr) return 0.0;
  const double* const value = values->data();
  const AxisSignals* const signals = sample.signals != nullptr ? sample.signals->data() : nullptr;
  double peak = 0.0;
  const auto look = [&](Eigen::Index i) noexcept {
    if (signals == nullptr || signal(signals[i]) == place.kind) peak = std::max(peak, magnitude(value[i]));
  };
  if (place.interface == 0)
    for (Eigen::Index i = 0; i < values->size(); ++i) look(i);
  else if (place.interface <= values->size())
    look(place.interface - 1);
  return peak;
}

template <RigStatus status>
double isStatus(const Sample& s, const LimitPlace&) noexcept {
  return s.rig_status == status ? 1.0 : 0.0;
}

constexpr LimitQuantity kLimitQuantities[] = {
    {.name = "command",
     .signal = commandOf,
     .read = [](const Sample& s, const LimitPlace& at) noexcept { return largest<commandOf>(s, s.command, at); },
     .wanted = Wanted::always},
    {.name = "command-rate",
     .signal = commandOf,
     .rate = true,
     .read = [](const Sample& s, const LimitPlace& at) noexcept { return largest<commandOf>(s, s.command_rate, at); }},
    {.name = "displacement",
     .signal = motionOf,
     .read = [](const Sample& s, const LimitPlace& at) noexcept { return largest<motionOf>(s, s.measured, at); },
     .wanted = Wanted::always},
    {.name = "velocity",
     .signal = motionOf,
     .rate = true,
     .read = [](const Sample& s, const LimitPlace& at) noexcept { return largest<motionOf>(s, s.velocity, at); }},
    {.name = "force",
     .signal = forceOf,
     .read = [](const Sample& s, const LimitPlace& at) noexcept { return largest<forceOf>(s, s.force, at); },
     .wanted = Wanted::always},
    {.name = "gap",
     .signal = targetOf,
     .read = [](const Sample& s, const LimitPlace& at) noexcept { return largest<targetOf>(s, s.gap, at); },
     .wanted = Wanted::always,
     .of_gap = true},
    {.name = "signal",
     .threshold = "threshold",
     .read =
         [](const Sample& s, const LimitPlace& at) noexcept {
           return at.column < s.further.size() ? magnitude(s.further[at.column]) : 0.0;
         },
     .of_column = true},
    {.name = "energy-error",
     .unit = "J",
     .threshold = "threshold_j",
     .read = [](const Sample& s, const LimitPlace&) noexcept { return magnitude(s.energy_error_j); },
     .of_gap = true},
    {.name = "not-a-number",
     .counted = true,
     .read = [](const Sample& s, const LimitPlace&) noexcept { return s.finite ? 0.0 : 1.0; }},
    {.name = "stale-data",
     .unit = "ticks",
     .threshold = "threshold_ticks",
     .counted = true,
     .read = [](const Sample& s, const LimitPlace&) noexcept { return static_cast<double>(s.stale_ticks); },
     .wanted = Wanted::on_rigs,
     .of_silence = true},
    {.name = "missed-ticks",
     .unit = "periods",
     .threshold = "threshold_ticks",
     .called = "missed periods",
     .counted = true,
     .read = [](const Sample& s, const LimitPlace&) noexcept { return static_cast<double>(s.missed_ticks); },
     .wanted = Wanted::on_rigs},
    {.name = "energy-growth",
     .unit = "1/s",
     .threshold = "threshold_per_s",
     .read = [](const Sample& s, const LimitPlace&) noexcept { return magnitude(s.energy_growth_per_s); },
     .of_growth = true,
     .of_gap = true},
    {.name = "link-errors",
     .unit = "frames",
     .threshold = "threshold_frames",
     .counted = true,
     .read = [](const Sample& s, const LimitPlace&) noexcept { return static_cast<double>(s.link_errors); },
     .of_link = true},
    {.name = "link-lost",
     .counted = true,
     .read = isStatus<RigStatus::link_lost>,
     .wanted = Wanted::on_rigs,
     .ends = EndReason::link_lost,
     .status = RigStatus::link_lost},
    {.name = "interlock",
     .counted = true,
     .read = isStatus<RigStatus::interlock>,
     .wanted = Wanted::on_rigs_with_interlocks,
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
    throw InputError("/quantity", "is \"" + std::string(name) + "\", which no limit can be on.");
  return found;
}

}  // namespace hyb
