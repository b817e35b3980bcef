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

double magnitude(double value) noexcept { return std::isfinite(value) ? std::abs(value) : kInfinity; }

/// Largest magnitude over the interfaces that a limit is about.
double largest(const Eigen::VectorXd* values, int interface) noexcept {
  if (values == nullptr) return 0.0;
  double peak = 0.0;
  for (Eigen::Index i = 0; i < values->size(); ++i)
    if (interface == 0 || i == interface - 1) peak = std::max(peak, magnitude((*values)[i]));
  return peak;
}

template <RigStatus status>
double isStatus(const Sample& s, int) noexcept {
  return s.rig_status == status ? 1.0 : 0.0;
}

constexpr LimitQuantity kLimitQuantities[] = {
    {.name = "command",
     .unit = "m",
     .threshold = "threshold_m",
     .of_interface = true,
     .read = [](const Sample& s, int i) noexcept { return largest(s.command, i); },
     .wanted = Wanted::always},
    {.name = "command-rate",
     .unit = "m/s",
     .threshold = "threshold_m_per_s",
     .of_interface = true,
     .read = [](const Sample& s, int i) noexcept { return largest(s.command_rate, i); }},
    {.name = "displacement",
     .unit = "m",
     .threshold = "threshold_m",
     .of_interface = true,
     .read = [](const Sample& s, int i) noexcept { return largest(s.measured, i); },
     .wanted = Wanted::always},
    {.name = "velocity",
     .unit = "m/s",
     .threshold = "threshold_m_per_s",
     .of_interface = true,
     .read = [](const Sample& s, int i) noexcept { return largest(s.velocity, i); }},
    {.name = "force",
     .unit = "N",
     .threshold = "threshold_n",
     .of_interface = true,
     .read = [](const Sample& s, int i) noexcept { return largest(s.force, i); },
     .wanted = Wanted::always},
    {.name = "gap",
     .unit = "m",
     .threshold = "threshold_m",
     .of_interface = true,
     .read = [](const Sample& s, int i) noexcept { return largest(s.gap, i); },
     .wanted = Wanted::always},
    {.name = "energy-error",
     .unit = "J",
     .threshold = "threshold_j",
     .read = [](const Sample& s, int) noexcept { return magnitude(s.energy_error_j); }},
    {.name = "not-a-number",
     .counted = true,
     .read = [](const Sample& s, int) noexcept { return isFinite(s) ? 0.0 : 1.0; }},
    {.name = "stale-data",
     .unit = "ticks",
     .threshold = "threshold_ticks",
     .counted = true,
     .read = [](const Sample& s, int) noexcept { return static_cast<double>(s.stale_ticks); },
     .wanted = Wanted::on_rigs,
     .of_silence = true},
    {.name = "missed-ticks",
     .unit = "periods",
     .threshold = "threshold_ticks",
     .called = "missed periods",
     .counted = true,
     .read = [](const Sample& s, int) noexcept { return static_cast<double>(s.missed_ticks); },
     .wanted = Wanted::on_rigs},
    {.name = "energy-growth",
     .unit = "1/s",
     .threshold = "threshold_per_s",
     .read = [](const Sample& s, int) noexcept { return magnitude(s.energy_growth_per_s); },
     .of_growth = true},
    {.name = "link-errors",
     .unit = "frames",
     .threshold = "threshold_frames",
     .counted = true,
     .read = [](const Sample& s, int) noexcept { return static_cast<double>(s.link_errors); },
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

bool isFinite(const SafetySample& sample) noexcept {
  for (const Eigen::VectorXd* values : {sample.command, sample.measured, sample.force, sample.gap})
    if (largest(values, 0) == kInfinity) return false;
  return std::isfinite(sample.energy_error_j);
}

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
