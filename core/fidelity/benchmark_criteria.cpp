#include "core/fidelity/benchmark_criteria.h"

#include "core/fidelity/record.h"
#include "core/fidelity/tracking_measures.h"

namespace hyb {

BenchmarkCriteria benchmarkCriteria(const BenchmarkRecord& record, double step_s, double max_lag_s) {
  using Samples = std::span<const double>;
  const auto nrmse = [](Samples a, Samples b) { return comparable(a, b) ? nrmsePercent(a, b) : kNoFigure; };
  const auto peak = [](Samples a, Samples b) { return comparable(a, b) ? peakPercent(a, b) : kNoFigure; };
  const auto& reference = record.reference;
  const bool timed = comparable(record.target, record.measured) && step_s > 0.0 && max_lag_s > 0.0;
  return {timed ? 1e3 * delayByCorrelation(record.target, record.measured, step_s, max_lag_s) : kNoFigure,
          nrmse(record.target, record.measured),
          peak(record.target, record.measured),
          nrmse(reference[0], record.measured),
          peak(reference[0], record.measured),
          nrmse(reference[1], record.floor2),
          nrmse(reference[2], record.floor3),
          peak(reference[1], record.floor2),
          peak(reference[2], record.floor3)};
}

}  // namespace hyb
