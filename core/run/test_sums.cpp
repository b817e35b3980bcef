#include "core/run/test_sums.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/fidelity/stability_indicator.h"
#include "core/run/build.h"

namespace hyb {
namespace {

constexpr double kMostWindowSteps = 1e6;  // of the stability indicator

}  // namespace

double projectNumber(const RunRows& run, const char* pointer, double otherwise) {
  const Json::json_pointer place(pointer);
  return run.project.contains(place) && run.project.at(place).is_number() ? run.project.at(place).get<double>()
                                                                          : otherwise;
}

std::vector<Dof> interfacesOf(const RunRows& run, std::size_t count) {
  if (run.interfaces.size() == count) return run.interfaces;
  std::vector<Dof> list;
  try {
    list = buildPartition(parseProject(run.project, run.folder)).interface;
  } catch (const InputError&) {
  }
  for (std::size_t i = list.size(); i < count; ++i) list.push_back({"interface " + std::to_string(i + 1)});
  return list;
}

TestSums::TestSums(const Params& params)
    : interfaces(params.interfaces),
      params_(params),
      indicator_([&params] {
        StabilityIndicatorParams window{.step_s = params.step_s};
        window.window_s = std::clamp(std::min(params.window_s, 0.5 * params.record_s), 2.0 * params.step_s,
                                     kMostWindowSteps * params.step_s);
        return window;
      }()),
      energy_(params.interfaces) {
  const auto window = static_cast<std::size_t>(std::min(params.window_s, params.record_s) / params.step_s);
  for (InterfaceSums& one : interfaces) one.moved = one.wanted = LastWindow(window);
}

void TestSums::add(std::span<const double> values, bool held) noexcept {
  const std::size_t n = params_.interfaces;
  const auto target = values.first(n), measured = values.subspan(n, n), force = values.subspan(2 * n, n);
  for (std::size_t i = 0; i < n; ++i) {
    InterfaceSums& one = interfaces[i];
    one.tracking.add(target[i], measured[i]);
    if (!(std::abs(measured[i] - target[i]) <= params_.tolerance_m)) ++one.beyond;
    if (count_ == 0)
      one.indicator.moveTo(target[i], measured[i]);
    else
      one.indicator.add(target[i], measured[i]);
    one.moved.add(measured[i]);
    if (!params_.reference) continue;
    one.reference.add(values[3 * n + i], measured[i]);
    one.wanted.add(values[3 * n + i]);
  }
  if (count_++ == 0 || held) return energy_.moveTo(force, target, measured);
  indicator_.update(energy_.add(force, target, measured, params_.step_s));
  const bool growing = indicator_.trend() == EnergyTrend::growing;
  growth_ = growing ? growth_ + indicator_.growth_per_s() * params_.step_s : 0.0;
  growth_s_ = growing ? growth_s_ + params_.step_s : 0.0;
}

TestSums testSums(const RunRows& run, const AnalysedRows& rows) {
  TestSums::Params params;
  params.interfaces = rows.interfaces();
  params.reference = rows.has("reference_1");
  params.step_s = 1.0 / run.rate_hz;
  params.tolerance_m = projectNumber(run, "/analysis/gap_tolerance_m", kDefaultGapTolerance_m);
  params.window_s = projectNumber(run, "/analysis/window_s", params.window_s);
  params.record_s = params.step_s * static_cast<double>(rows.count());
  TestSums sums(params);
  const std::vector<Dof> dofs = interfacesOf(run, params.interfaces);
  for (std::size_t i = 0; i < params.interfaces; ++i) sums.interfaces[i].dof = dofs[i];
  if (rows.empty()) return sums;
  std::vector<std::string> channels;
  for (const char* stem : {"target_", "measured_", "force_", "reference_"})
    for (std::size_t i = 1; i <= params.interfaces && (params.reference || *stem != 'r'); ++i)
      channels.push_back(stem + std::to_string(i));
  rows.visit(channels, [&](std::span<const double> values, bool held) { sums.add(values, held); });
  return sums;
}

}  // namespace hyb
