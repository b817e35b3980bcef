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

double projectNumber(const RunRecord& run, const char* pointer, double otherwise) {
  const Json::json_pointer place(pointer);
  return run.project.contains(place) && run.project.at(place).is_number() ? run.project.at(place).get<double>()
                                                                          : otherwise;
}

std::vector<AxisSignals> interfacesOf(const RunRecord& run, std::size_t count) {
  std::vector<AxisSignals> list = run.interfaces;
  list.resize(count);
  if (std::ranges::none_of(list, [](const AxisSignals& axis) { return axis.name.empty(); })) return list;
  const std::shared_ptr<const Project> project = projectOf(run);
  const std::vector<AxisSignals> asked = project ? project->axes : std::vector<AxisSignals>();
  for (std::size_t i = 0; i < count; ++i) {
    if (i >= run.interfaces.size() && i < asked.size()) list[i] = asked[i];
    list[i].name = i < asked.size() ? asked[i].name : "interface " + std::to_string(i + 1);
  }
  return list;
}

GapTolerance gapToleranceOf(const RunRecord& run) {
  const GapTolerance usual;
  return {projectNumber(run, "/analysis/gap_tolerance_m", usual.motion),
          projectNumber(run, "/analysis/gap_tolerance_n", usual.force)};
}

std::size_t movedColumn(const Table& table, const AxisSignals& axis, std::size_t i) {
  const int interface = static_cast<int>(i) + 1;
  const std::optional<std::size_t> own = find(table, ColumnRole::specimen, interface);
  return axis.asksForForce() && own ? *own : placeOf(table, ColumnRole::measured, interface);
}

TestSums::TestSums(const Params& params)
    : interfaces(params.interfaces),
      params_(params),
      indicator_(
          [&params] {
            StabilityIndicatorParams window{.step_s = params.step_s};
            window.window_s = std::clamp(std::min(params.window_s, 0.5 * params.record_s), 2.0 * params.step_s,
                                         kMostWindowSteps * params.step_s);
            return window;
          }(),
          params.interfaces, asksForForce(params.axes)),
      energy_(params.interfaces, asksForForce(params.axes)) {
  const auto window = static_cast<std::size_t>(std::min(params.window_s, params.record_s) / params.step_s);
  for (InterfaceSums& one : interfaces) one.moved = one.wanted = LastWindow(window);
}

void TestSums::add(std::span<const double> values, bool held) noexcept {
  const std::size_t n = params_.interfaces;
  const auto target = values.first(n), moved = values.subspan(n, n), force = values.subspan(2 * n, n),
             tracked = values.subspan(3 * n, n);
  for (std::size_t i = 0; i < n; ++i) {
    InterfaceSums& one = interfaces[i];
    one.tracking.add(target[i], tracked[i]);
    const double tolerance = i < params_.axes.size() ? params_.tolerance.of(params_.axes[i]) : params_.tolerance.motion;
    if (!(std::abs(tracked[i] - target[i]) <= tolerance)) {
      ++one.beyond;
      one.last_beyond = count_ + 1;
    }
    if (count_ == 0)
      one.indicator.moveTo(target[i], tracked[i]);
    else
      one.indicator.add(target[i], tracked[i]);
    one.moved.add(tracked[i]);
    if (!params_.reference) continue;
    one.reference.add(values[4 * n + i], tracked[i]);
    one.wanted.add(values[4 * n + i]);
  }
  const bool starts = count_++ == 0 || held;
  if (starts)
    energy_.moveTo(force, target, moved);
  else
    energy_.add(force, target, moved, params_.step_s);
  if (!params_.growth) return;
  if (starts) return indicator_.moveTo(force, target, moved);
  indicator_.add(force, target, moved);
  const bool growing = indicator_.growth_per_s() > 0.0;
  growth_ = growing ? growth_ + indicator_.growth_per_s() * params_.step_s : 0.0;
  growth_s_ = growing ? growth_s_ + params_.step_s : 0.0;
}

TestSums testSums(const RunRecord& run, const AnalysedRows& rows, bool growth) {
  TestSums::Params params;
  params.growth = growth;
  params.interfaces = rows.interfaces();
  params.reference = find(run.table, ColumnRole::reference, 1).has_value();
  params.step_s = 1.0 / run.table.rate_hz;
  params.axes = interfacesOf(run, params.interfaces);
  params.tolerance = gapToleranceOf(run);
  params.window_s = projectNumber(run, "/analysis/window_s", params.window_s);
  params.record_s = params.step_s * static_cast<double>(rows.count());
  TestSums sums(params);
  for (std::size_t i = 0; i < params.interfaces; ++i) sums.interfaces[i].axis = params.axes[i];
  if (rows.empty()) return sums;
  std::vector<std::size_t> channels;
  const auto each = [&](auto&& place) {
    for (std::size_t i = 0; i < params.interfaces; ++i) channels.push_back(place(i));
  };
  const auto of = [&](ColumnRole role) {
    return [&run, role](std::size_t i) { return placeOf(run.table, role, static_cast<int>(i) + 1); };
  };
  each(of(ColumnRole::target));
  each([&](std::size_t i) { return movedColumn(run.table, params.axes[i], i); });
  each(of(ColumnRole::force));
  each([&](std::size_t i) { return of(trackedRole(params.axes[i]))(i); });
  if (params.reference) each(of(ColumnRole::reference));
  rows.visit(channels, [&](std::span<const double> values, bool held) { sums.add(values, held); });
  return sums;
}

}  // namespace hyb
