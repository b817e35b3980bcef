#include <algorithm>
#include <cmath>

#include "core/run/build.h"
#include "core/run/metrics.h"
#include "core/structure/modes.h"

namespace hyb {

Json stabilityReport(const Project& project, std::optional<double> delay_s, std::optional<double> cutoff_hz) {
  const Partition partition = buildPartition(project);
  const Eigen::VectorXd frequency_hz = modes(partition.reference).frequency_hz;
  const double cutoff = cutoff_hz.value_or(std::min(4.0 * frequency_hz.maxCoeff(), 0.5 * project.loop.rate_hz));
  const double max_delay_s = 2.0 / frequency_hz.minCoeff();
  const DelaySystem system{partition, {}, {}};

  const std::optional<Crossing> critical = criticalDelay(system, cutoff, max_delay_s);
  const std::vector<DelayPart> parts =
      loopDelayParts(project, critical ? critical->frequency_hz : frequency_hz.minCoeff());
  double total_s = 0.0;
  Json part_list = Json::array();
  for (const DelayPart& part : parts) {
    total_s += part.seconds;
    part_list.push_back({{"name", part.name}, {"delay_s", part.seconds}});
  }

  Json report;
  report["critical_delay_s"] = critical ? Json(critical->delay_s) : Json(nullptr);
  report["crossing_hz"] = critical ? Json(critical->frequency_hz) : Json(nullptr);
  report["crossings"] = Json::array();
  for (const Crossing& crossing : crossings(system, cutoff, max_delay_s))
    report["crossings"].push_back({{"delay_s", crossing.delay_s}, {"frequency_hz", crossing.frequency_hz}});
  const double analysed_s = delay_s.value_or(total_s);
  const auto roots = rightmostRoots(system, analysed_s, cutoff);
  report["delay_s"] = analysed_s;
  report["delay_parts"] = part_list;
  report["stable"] = std::none_of(roots.begin(), roots.end(), [](const auto& root) { return root.real() >= 0.0; });
  report["cutoff_hz"] = cutoff;
  report["roots"] = Json::array();
  for (const std::complex<double>& root : roots) report["roots"].push_back({{"re", root.real()}, {"im", root.imag()}});
  return report;
}

}  // namespace hyb
