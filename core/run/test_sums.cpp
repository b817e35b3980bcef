#include "core/run/test_sums.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/fidelity/stability_indicator.h"
#include "core/run/build.h"

namespace hyb {
namespace {

constexpr double kWindow_s = 0.5;  // of a project that says nothing

/// Mean squares over the last window, from whole and half blocks of it.
class LastWindow {
 public:
  explicit LastWindow(std::size_t length) : length_(std::max<std::size_t>(2, length) / 2) {}
  void add(double value) noexcept {
    squares_[2] += value * value;
    if (++count_ < length_) return;
    squares_[0] = squares_[1], squares_[1] = squares_[2], squares_[2] = 0.0;
    blocks_ = std::min<std::size_t>(2, blocks_ + 1);
    count_ = 0;
  }
  double rms() const noexcept {
    const std::size_t samples = blocks_ * length_ + count_;
    return samples > 0 ? std::sqrt((squares_[0] + squares_[1] + squares_[2]) / static_cast<double>(samples))
                       : kNoFigure;
  }

 private:
  std::size_t length_, count_ = 0, blocks_ = 0;
  double squares_[3] = {0.0, 0.0, 0.0};
};

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

TestSums testSums(const RunRows& run, const AnalysedRows& rows) {
  TestSums sums;
  const std::size_t count = rows.interfaces();
  sums.interfaces.resize(count);
  const std::vector<Dof> dofs = interfacesOf(run, count);
  for (std::size_t i = 0; i < count; ++i) sums.interfaces[i].dof = dofs[i];
  if (rows.empty() || count == 0) return sums;
  const bool reference = rows.has("reference_1");
  std::vector<std::string> channels;
  for (const char* stem : {"target_", "measured_", "force_", "reference_"})
    for (std::size_t i = 1; i <= count && (reference || *stem != 'r'); ++i)
      channels.push_back(stem + std::to_string(i));

  const double step_s = 1.0 / run.rate_hz,
               tolerance_m = projectNumber(run, "/analysis/gap_tolerance_m", kDefaultGapTolerance_m);
  const double record_s = step_s * static_cast<double>(rows.count());
  StabilityIndicatorParams params{.step_s = step_s};
  params.window_s = std::clamp(projectNumber(run, "/analysis/window_s", kWindow_s), 2.0 * step_s, 1e6 * step_s);
  params.window_s = std::max(2.0 * step_s, std::min(params.window_s, 0.5 * record_s));
  StabilityIndicator indicator(params);
  RunningEnergyError energy(count);
  const auto window = static_cast<std::size_t>(params.window_s * run.rate_hz);
  std::vector<LastWindow> moved(count, LastWindow(window)), wanted(count, LastWindow(window));
  bool first = true;
  rows.visit(channels, [&](std::span<const double> values) {
    const auto target = values.first(count), measured = values.subspan(count, count),
               force = values.subspan(2 * count, count);
    for (std::size_t i = 0; i < count; ++i) {
      InterfaceSums& one = sums.interfaces[i];
      one.tracking.add(target[i], measured[i]);
      if (!(std::abs(measured[i] - target[i]) <= tolerance_m)) ++one.beyond;
      first ? one.indicator.moveTo(target[i], measured[i]) : one.indicator.add(target[i], measured[i]);
      moved[i].add(measured[i]);
      if (!reference) continue;
      one.reference.add(values[3 * count + i], measured[i]);
      wanted[i].add(values[3 * count + i]);
    }
    if (first) {
      energy.moveTo(force, target, measured);
    } else {
      indicator.update(energy.add(force, target, measured, step_s));
      const bool growing = indicator.trend() == EnergyTrend::growing;
      sums.growth = growing ? sums.growth + indicator.growth_per_s() * step_s : 0.0;
      sums.growth_s = growing ? sums.growth_s + step_s : 0.0;
    }
    first = false;
  });
  for (std::size_t i = 0; i < count; ++i) {
    sums.interfaces[i].last_rms = moved[i].rms();
    if (reference) sums.interfaces[i].last_reference_rms = wanted[i].rms();
  }
  sums.energy_error_j = energy.energy_j();
  sums.added_energy_j = energy.added_j();
  sums.added_share = indicator.addedShare();
  return sums;
}

}  // namespace hyb
