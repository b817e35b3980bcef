#include "core/study/study_statistics.h"

#include <array>

namespace hyb {
namespace {

using S = SampleStatistics;

constexpr std::array kColumns{
    StatisticColumn{"runs", "runs of the combination", [](const S& s) { return static_cast<double>(s.count); }},
    StatisticColumn{"missing", "runs without this figure: stopped, failed, pending, or not determined",
                    [](const S& s) { return static_cast<double>(s.missing); }},
    StatisticColumn{"mean", "mean of the runs", [](const S& s) { return s.mean.value; }},
    StatisticColumn{"mean_low", "lower end of the 95 % interval of the mean (Student's t)",
                    [](const S& s) { return s.mean.low; }},
    StatisticColumn{"mean_high", "upper end of this interval", [](const S& s) { return s.mean.high; }},
    StatisticColumn{"deviation", "standard deviation of the runs", [](const S& s) { return s.deviation.value; }},
    StatisticColumn{"deviation_low", "lower end of its 95 % interval (Bonett 2006)",
                    [](const S& s) { return s.deviation.low; }},
    StatisticColumn{"deviation_high", "upper end of this interval", [](const S& s) { return s.deviation.high; }},
    StatisticColumn{"least", "smallest value", [](const S& s) { return s.least; }},
    StatisticColumn{"quantile_05", "5 % of the runs are below", [](const S& s) { return s.low5.value; }},
    StatisticColumn{"quartile_1", "first quartile", [](const S& s) { return s.quartile1.value; }},
    StatisticColumn{"median", "half of the runs are below", [](const S& s) { return s.median.value; }},
    StatisticColumn{"median_low", "lower end of its 95 % interval (order statistics)",
                    [](const S& s) { return s.median.low; }},
    StatisticColumn{"median_high", "upper end of this interval", [](const S& s) { return s.median.high; }},
    StatisticColumn{"quartile_3", "third quartile", [](const S& s) { return s.quartile3.value; }},
    StatisticColumn{"quantile_95", "95 % of the runs are below", [](const S& s) { return s.high95.value; }},
    StatisticColumn{"quantile_95_low", "lower end of its 95 % interval (order statistics)",
                    [](const S& s) { return s.high95.low; }},
    StatisticColumn{"quantile_95_high", "upper end of this interval; unknown with fewer than 72 runs",
                    [](const S& s) { return s.high95.high; }},
    StatisticColumn{"most", "largest value", [](const S& s) { return s.most; }},
    StatisticColumn{"outliers", "runs beyond 1.5 quartile distances from the quartiles",
                    [](const S& s) { return static_cast<double>(s.outliers.size()); }},
    StatisticColumn{"runs_for_5_percent", "runs after which the interval of the mean is within 5 % of it",
                    [](const S& s) {
                      const std::size_t runs = runsForMean(s, 0.05);
                      return runs > 0 ? static_cast<double>(runs) : kNoValue;
                    }},
};

/// False for the samples of a design of indices that repeat numbers of others.
bool independent(const Study& study, std::size_t sample) {
  return !study.random.indices || sample % indexRows(study.random.settings.size()) < 2;
}

}  // namespace

std::span<const StatisticColumn> statisticColumns() noexcept { return kColumns; }

std::vector<FigureStatistics> studyStatistics(const Study& study, std::span<const RunStatus> status,
                                              std::size_t columns, const FigureOf& figure) {
  const std::size_t runs = study.runsOfCombination();
  std::vector<FigureStatistics> all;
  if (runs < 2) return all;
  for (std::size_t c = 0; c < study.combinations(); ++c)
    for (std::size_t f = 0; f < columns; ++f) {
      const auto valueOf = [&](std::size_t run) { return status[run] == RunStatus::done ? figure(f, run) : kNoValue; };
      std::vector<double> values;
      for (std::size_t r = c * runs; r < (c + 1) * runs; ++r)
        if (independent(study, study.sampleOf(r))) values.push_back(valueOf(r));
      FigureStatistics& entry = all.emplace_back(FigureStatistics{c, f, statisticsOf(values), {}});
      if (!study.random.indices) continue;
      std::vector<double> means;  // over the seeds of a sample
      for (std::size_t r = c * runs; r < (c + 1) * runs; r += study.seeds.size()) {
        double sum = 0.0;
        for (std::size_t k = 0; k < study.seeds.size(); ++k) sum += valueOf(r + k);
        means.push_back(sum / static_cast<double>(study.seeds.size()));
      }
      entry.indices = sobolIndices(means, study.random.settings.size(), study.random.replicates);
    }
  return all;
}

}  // namespace hyb
