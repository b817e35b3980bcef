#include "core/fidelity/benchmark_criteria.h"

#include <vector>

#include "core/fidelity/record.h"
#include "core/fidelity/tracking_errors.h"
#include "core/fidelity/tracking_measures.h"

namespace hyb {

double nrmseBySpreadPercent(std::span<const double> a, std::span<const double> b) {
  if (!comparable(a, b)) return kNoFigure;
  std::vector<double> gap(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) gap[k] = b[k] - a[k];
  const double norm = spread(a);
  return norm > 0.0 ? 100.0 * spread(gap) / norm : kNoFigure;
}

BenchmarkCriteria benchmarkCriteria(const BenchmarkRecord& record, double step_s, double max_lag_s) {
  const auto peak = [](std::span<const double> a, std::span<const double> b) { return 100.0 * maximumError(a, b); };
  const auto& reference = record.reference;
  const bool timed = comparable(record.target, record.measured) && step_s > 0.0 && max_lag_s > 0.0;
  return {timed ? 1e3 * delayByCorrelation(record.target, record.measured, step_s, max_lag_s) : kNoFigure,
          nrmseBySpreadPercent(record.target, record.measured),
          peak(record.target, record.measured),
          nrmseBySpreadPercent(reference[0], record.measured),
          peak(reference[0], record.measured),
          nrmseBySpreadPercent(reference[1], record.floor2),
          nrmseBySpreadPercent(reference[2], record.floor3),
          peak(reference[1], record.floor2),
          peak(reference[2], record.floor3)};
}

}  // namespace hyb
