#include "core/campaign/statistics.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <numeric>

#include "core/base/student.h"
#include "core/campaign/distribution.h"

namespace hyb {
namespace {

constexpr double kLevel = 0.95, kTail = 0.5 * (1.0 - kLevel);
constexpr double kWhisker = 1.5;  // quartile distances

double meanOf(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Mean of independent values with its interval by Student's t.
Estimate meanEstimate(std::span<const double> values, double deviation) {
  const double mean = meanOf(values), n = static_cast<double>(values.size());
  if (values.size() < 2) return {mean};
  const double half = studentQuantile(n - 1.0, 1.0 - kTail) * deviation / std::sqrt(n);
  return {mean, mean - half, mean + half};
}

double deviationOf(std::span<const double> values) {
  const double mean = meanOf(values);
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

/// D. Bonett, Approximate confidence interval for standard deviation of nonnormal distributions, Computational
/// Statistics and Data Analysis 50 (2006) 775-782: by the kurtosis about a trimmed mean.
Estimate deviationEstimate(std::span<const double> ascending) {
  if (ascending.size() < 2) return {};
  const double n = static_cast<double>(ascending.size()), mean = meanOf(ascending), s = deviationOf(ascending);
  if (ascending.size() < 5 || !(s > 0.0)) return {s};
  const auto cut = static_cast<std::size_t>(n * 0.5 / std::sqrt(n - 4.0));
  const double trimmed = cut * 2 < ascending.size() ? meanOf(ascending.subspan(cut, ascending.size() - 2 * cut))
                                                    : ascending[ascending.size() / 2];
  double squares = 0.0, fourth = 0.0;
  for (const double value : ascending) {
    squares += std::pow(value - mean, 2);
    fourth += std::pow(value - trimmed, 4);
  }
  const double z = normalQuantile(1.0 - kTail), c = n / (n - z);
  const double kurtosis = n * fourth / (squares * squares);
  const double error = c * std::sqrt(std::max(0.0, kurtosis - (n - 3.0) / n) / (n - 1.0));
  const double middle = 0.5 * std::log(c * s * s);
  return {s, std::exp(middle - 0.5 * z * error), std::exp(middle + 0.5 * z * error)};
}

/// The interval between two order statistics: the number of values below the quantile is binomial.
Estimate quantileEstimate(std::span<const double> ascending, double probability) {
  Estimate estimate{sampleQuantile(ascending, probability)};
  using boost::math::policies::discrete_quantile;
  using boost::math::policies::integer_round_outwards;
  const boost::math::binomial_distribution<double,
                                           boost::math::policies::policy<discrete_quantile<integer_round_outwards>>>
      below(static_cast<double>(ascending.size()), probability);
  const double low = boost::math::quantile(below, kTail),
               high = boost::math::quantile(boost::math::complement(below, kTail));
  if (boost::math::cdf(below, low) <= kTail) estimate.low = ascending[static_cast<std::size_t>(low)];
  if (high < static_cast<double>(ascending.size())) estimate.high = ascending[static_cast<std::size_t>(high)];
  return estimate;
}

/// Both indices of input `i` from one replicate [points][indexRows].
struct IndexPair {
  double first = kNoValue, total = kNoValue;
};
IndexPair indicesOf(std::span<const double> figures, std::size_t inputs, std::size_t i) {
  const std::size_t rows = indexRows(inputs);
  double sum = 0.0, squares = 0.0, first = 0.0, total = 0.0, n = 0.0;
  const auto whole = [](std::span<const double> point) {
    return std::ranges::all_of(point, [](double value) { return std::isfinite(value); });
  };
  double mean = 0.0, count = 0.0;
  for (std::size_t at = 0; at + rows <= figures.size(); at += rows)
    if (const auto point = figures.subspan(at, rows); whole(point)) {
      mean += point[0] + point[1];
      count += 2.0;
    }
  mean /= count;
  for (std::size_t at = 0; at + rows <= figures.size(); at += rows) {
    const auto point = figures.subspan(at, rows);
    if (!whole(point)) continue;
    // The mean is taken off before products, which otherwise drown in it.
    const double a = point[0] - mean, b = point[1] - mean, mixed = point[2 + i] - mean;
    first += b * (mixed - a);
    total += 0.5 * (a - mixed) * (a - mixed);
    sum += a + b;
    squares += a * a + b * b;
    n += 1.0;
  }
  const double variance = squares / (2.0 * n) - std::pow(sum / (2.0 * n), 2);
  return {first / n / variance, total / n / variance};
}

}  // namespace

double sampleQuantile(std::span<const double> ascending, double probability) {
  if (ascending.empty()) return kNoValue;
  const double place = probability * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 >= ascending.size()) return ascending.back();
  return std::lerp(ascending[below], ascending[below + 1], place - static_cast<double>(below));
}

SampleStatistics statisticsOf(std::span<const double> values) {
  SampleStatistics statistics;
  std::vector<double> ascending;
  for (const double value : values)
    if (std::isfinite(value)) ascending.push_back(value);
  statistics.count = values.size();
  statistics.missing = values.size() - ascending.size();
  if (ascending.empty()) return statistics;
  std::ranges::sort(ascending);
  statistics.deviation = deviationEstimate(ascending);
  statistics.mean = meanEstimate(ascending, statistics.deviation.value);
  statistics.least = ascending.front();
  statistics.most = ascending.back();
  statistics.low5 = quantileEstimate(ascending, 0.05);
  statistics.quartile1 = quantileEstimate(ascending, 0.25);
  statistics.median = quantileEstimate(ascending, 0.5);
  statistics.quartile3 = quantileEstimate(ascending, 0.75);
  statistics.high95 = quantileEstimate(ascending, 0.95);
  const double reach = kWhisker * (statistics.quartile3.value - statistics.quartile1.value);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] < statistics.quartile1.value - reach || values[i] > statistics.quartile3.value + reach)
      statistics.outliers.push_back(i);
  return statistics;
}

std::size_t runsForMean(const SampleStatistics& statistics, double share) {
  const double allowed = share * std::abs(statistics.mean.value);
  if (!(allowed > 0.0) || !std::isfinite(statistics.deviation.value)) return 0;
  const double z = normalQuantile(1.0 - kTail);
  return static_cast<std::size_t>(std::max(2.0, std::ceil(std::pow(z * statistics.deviation.value / allowed, 2))));
}

std::vector<SobolIndices> sobolIndices(std::span<const double> figures, std::size_t inputs, std::size_t replicates) {
  const std::size_t each = figures.size() / std::max<std::size_t>(1, replicates);
  std::vector<SobolIndices> indices;
  for (std::size_t i = 0; i < inputs; ++i) {
    std::vector<double> first, total;
    for (std::size_t r = 0; r < replicates; ++r) {
      const IndexPair pair = indicesOf(figures.subspan(r * each, each), inputs, i);
      first.push_back(pair.first);
      total.push_back(pair.total);
    }
    const auto estimate = [](const std::vector<double>& values) {
      return meanEstimate(values, values.size() > 1 ? deviationOf(values) : kNoValue);
    };
    indices.push_back({estimate(first), estimate(total)});
  }
  return indices;
}

}  // namespace hyb
