#include <algorithm>
#include <cmath>

#include "core/analysis/entries.h"
#include "core/analysis/segments.h"
#include "core/base/error.h"
#include "core/base/figure_text.h"
#include "core/base/numbers.h"

namespace hyb {
namespace {

constexpr AnalysisOption kBins{"bins",  "Bins", "",  "Number of bins; chosen by Scott's rule if left out", "", {}, 2.0,
                               10000.0, false,  true};
constexpr std::array<const AnalysisOption*, 1> kHistogramOptions{&kBins};

struct Moments {
  std::uint64_t rows = 0, missing = 0;
  double low = 0.0, high = 0.0, mean = 0.0, second = 0.0, third = 0.0, fourth = 0.0;  // central moments
};

template <typename Take>
void eachValue(const Table& table, std::size_t channel, Take&& take) {
  eachBlockOf(table, std::span(&channel, 1), [&](const std::vector<std::vector<double>>& block) {
    for (const double value : block[0]) take(value);
  });
}

Moments momentsOf(const Table& table, std::size_t channel) {
  Moments moments;
  double sum = 0.0;
  eachValue(table, channel, [&](double value) {
    if (!std::isfinite(value)) {
      ++moments.missing;
      return;
    }
    moments.low = moments.rows == 0 ? value : std::min(moments.low, value);
    moments.high = moments.rows == 0 ? value : std::max(moments.high, value);
    ++moments.rows;
    sum += value;
  });
  if (moments.rows == 0) return moments;
  const auto count = static_cast<double>(moments.rows);
  moments.mean = sum / count;
  eachValue(table, channel, [&](double value) {
    if (!std::isfinite(value)) return;
    const double off = value - moments.mean, square = off * off;
    moments.second += square / count;
    moments.third += square * off / count;
    moments.fourth += square * square / count;
  });
  return moments;
}

/// D. W. Scott, On optimal and data-based histograms, Biometrika 66 (1979) 605.
std::size_t binsFor(const Moments& moments, double deviation) {
  constexpr double kFewest = 10.0, kMostChosen = 500.0;
  const double width = 3.49 * deviation / std::cbrt(static_cast<double>(moments.rows));
  return static_cast<std::size_t>(std::clamp(std::ceil((moments.high - moments.low) / width), kFewest, kMostChosen));
}

AnalysisResult histogramOf(const Table& table, const std::vector<std::string>& channels,
                           const AnalysisSettings& settings) {
  const std::string& name = channels[0];
  const std::size_t channel = placeOf(table, name);
  const std::string& unit = table.channels[channel].units;
  const Moments moments = momentsOf(table, channel);
  if (moments.rows == 0) throw InputError(name, "has no values in these rows; choose another stretch.");
  if (!(moments.low < moments.high))
    throw InputError(name, "is " + figureText(moments.mean) + (unit.empty() ? "" : " " + unit) +
                               " in all rows, so it has no distribution; choose another channel or stretch.");
  const auto count = static_cast<double>(moments.rows);
  const double deviation = std::sqrt(moments.second * count / (count - 1.0));
  const std::optional<double> asked = settings.number(kBins);
  const std::size_t bins = asked ? static_cast<std::size_t>(*asked) : binsFor(moments, deviation);
  const double width = (moments.high - moments.low) / static_cast<double>(bins);
  std::vector<double> counts(bins, 0.0);
  eachValue(table, channel, [&](double value) {
    if (std::isfinite(value)) ++counts[std::min(static_cast<std::size_t>((value - moments.low) / width), bins - 1)];
  });
  AnalysisResult result;
  result.x = {"Value", unit, {}};
  std::vector<double> density, normal;
  for (std::size_t b = 0; b < bins; ++b) {
    result.x.values.push_back(moments.low + (static_cast<double>(b) + 0.5) * width);
    const double off = (result.x.values.back() - moments.mean) / deviation;
    density.push_back(counts[b] / (count * width));
    normal.push_back(std::exp(-0.5 * off * off) / (deviation * std::sqrt(kTwoPi)));
  }
  const std::string per_unit = ratioUnit("1", unit);
  result.curves.push_back({name + "_count", name, "Number of rows", "", std::move(counts)});
  result.curves.push_back({name + "_density", name, "Probability density", per_unit, std::move(density)});
  result.curves.push_back({name + "_normal", name, "Density of the normal fit", per_unit, std::move(normal)});
  result.numbers = {{"rows", "Rows", count, ""},
                    {"rows_missing", "Rows without a value", static_cast<double>(moments.missing), ""},
                    {"mean", "Mean", moments.mean, unit},
                    {"deviation", "Standard deviation", deviation, unit},
                    {"skewness", "Skewness", moments.third / std::pow(moments.second, 1.5), "1"},
                    {"kurtosis", "Kurtosis", moments.fourth / (moments.second * moments.second), "1"},
                    {"minimum", "Smallest value", moments.low, unit},
                    {"maximum", "Largest value", moments.high, unit},
                    {"bins", "Bins", static_cast<double>(bins), ""},
                    {"bin_width", "Width of a bin", width, unit}};
  result.notes.emplace_back(
      "The normal fit has the mean and the standard deviation of the rows. A normal distribution has skewness 0 and "
      "kurtosis 3.");
  if (moments.missing > 0)
    result.notes.push_back(std::to_string(moments.missing) + " rows have no value and are left out.");
  return result;
}

}  // namespace

/// Counts over equal bins from the smallest to the largest value; mean, standard deviation (n - 1), skewness m3 /
/// m2^1.5 and kurtosis m4 / m2^2 of the central moments, and the normal density with that mean and deviation.
constinit const Analysis kHistogramAnalysis{"histogram",
                                            "Histogram",
                                            "Histogram with normal fit, mean, deviation, skewness and kurtosis",
                                            AnalysisInputs::one,
                                            kHistogramOptions,
                                            histogramOf,
                                            false};

}  // namespace hyb
