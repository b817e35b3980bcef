#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/campaign/statistics.h"
#include "core/study/journal.h"
#include "core/study/study.h"

namespace hyb {

/// Statistics of one figure over the runs of one combination that came to their end; of a design of indices over its
/// two independent sets of samples.
struct FigureStatistics {
  std::size_t combination = 0, column = 0;  // of Study, of the figures
  SampleStatistics sample;
  std::vector<SobolIndices> indices;  // [random settings]; empty: the samples are not made for them
};

/// Figure `column` of a run; NaN: none.
using FigureOf = std::function<double(std::size_t column, std::size_t run)>;

/// One entry for each combination and figure, the figures of a combination together. Nothing if a combination has only
/// one run. `status`: of each run.
std::vector<FigureStatistics> studyStatistics(const Study& study, std::span<const RunStatus> status,
                                              std::size_t columns, const FigureOf& figure);

/// A number of an entry, as files name and describe it.
struct StatisticColumn {
  const char *name, *description;
  double (*of)(const SampleStatistics&);
};
std::span<const StatisticColumn> statisticColumns() noexcept;

}  // namespace hyb
