#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "core/base/numbers.h"

namespace hyb {

/// A number with the limits of its interval; NaN: the sample does not determine it.
struct Estimate {
  double value = kNoValue, low = kNoValue, high = kNoValue;
};

/// Statistics of independent runs of a campaign; intervals at 95 %.
struct SampleStatistics {
  std::size_t count = 0, missing = 0;  // numbers, and NaN among them, which count for nothing else
  Estimate mean;                       // interval by Student's t
  Estimate deviation;                  // of the sample; approximate interval after Bonett (2006)
  double least = kNoValue, most = kNoValue;
  Estimate low5, quartile1, median, quartile3, high95;  // intervals by order statistics, for any distribution
  std::vector<std::size_t> outliers;  // indices beyond 1.5 quartile distances from the box (Tukey 1977)
};
SampleStatistics statisticsOf(std::span<const double> values);

/// Quantile of ascending numbers: linear between them, the first is that of 0, the last that of 1.
double sampleQuantile(std::span<const double> ascending, double probability);

/// Runs after which the interval of the mean is within this share of it, by the deviation of the present ones; 0: not
/// known.
std::size_t runsForMean(const SampleStatistics& statistics, double share);

/// Sobol's indices of one input: share of the variance of the figure by this input alone, and together with all others.
struct SobolIndices {
  Estimate first, total;
};

/// Rows of one block of the design of indices for this number of inputs: the points A and B, and A with one input of B
/// after the other.
constexpr std::size_t indexRows(std::size_t inputs) noexcept { return inputs + 2; }

/// The indices of all inputs from the figures of the design [replicates][points][indexRows]. First order: Saltelli et
/// al. (2010), table 2 (b); total: Jansen (1999), table 2 (f). Intervals from the replicates, which are independent
/// (Student's t); with one replicate there are none. A point with a missing figure is left out.
std::vector<SobolIndices> sobolIndices(std::span<const double> figures, std::size_t inputs, std::size_t replicates);

}  // namespace hyb
