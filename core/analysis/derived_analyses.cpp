#include <algorithm>
#include <cmath>

#include "core/analysis/derived.h"
#include "core/analysis/entries.h"
#include "core/analysis/options.h"
#include "core/analysis/segments.h"
#include "core/data/resample.h"

namespace hyb {
namespace {

constexpr AnalysisOption kCutoff{
    "cutoff", "Cut-off frequency", "Hz", "Frequency at which the amplitude is -3 dB", "", {}, 0.0, 1e6, true, false,
    true};
constexpr AnalysisOption kOrder{
    "order", "Order", "",  "Order of the Butterworth filter, which runs forwards and backwards", "4", {}, 1.0,
    4.0,     false,   true};
constexpr AnalysisOption kRate{"rate", "Rate", "Hz", "New rows per second", "", {}, 0.0, 1e7, true, false, true};
constexpr std::array<const AnalysisOption*, 2> kFilterOptions{&kCutoff, &kOrder};
constexpr std::array<const AnalysisOption*, 1> kIntegralOptions{&options::kDetrend}, kResampleOptions{&kRate};

using Derive = std::function<Table(Table table, const std::string& name)>;

/// The last channel of each derived table over time, with its root mean square.
AnalysisResult derivedChannels(const Table& table, const std::vector<std::string>& channels, const Derive& derive) {
  AnalysisResult result;
  for (const std::string& name : channels) {
    const Table derived = derive(table, name);
    const Channel& channel = derived.channels.back();
    ResultCurve curve{channel.name, name, channel.description, channel.units,
                      derived.column(derived.channels.size() - 1)};
    double squares = 0.0, count = 0.0;
    for (const double value : curve.values)
      if (std::isfinite(value)) {
        squares += value * value;
        ++count;
      }
    if (const double missing = static_cast<double>(curve.values.size()) - count; missing > 0.0) {
      result.numbers.push_back({name + "_rows_missing", "Rows without a value of " + name, missing, ""});
      result.notes.push_back(
          name +
          " has missing rows. Each stretch between them is treated on its own, so the values near its ends "
          "are less exact.");
    }
    result.numbers.push_back({name + "_rms", "Root mean square of " + channel.name,
                              std::sqrt(squares / std::max(count, 1.0)), channel.units});
    result.curves.push_back(std::move(curve));
    if (!result.x.values.empty()) continue;
    result.rate_hz = derived.rate_hz;
    result.x = {"Time", "s", {}};
    for (std::uint64_t row = 0; row < derived.rows; ++row) result.x.values.push_back(derived.time_s(row));
  }
  return result;
}

template <auto filter>
AnalysisResult filterAnalysis(const Table& table, const std::vector<std::string>& channels,
                              const AnalysisSettings& settings) {
  const double cutoff_hz = settings.number(kCutoff).value_or(0.0);
  const int order = static_cast<int>(settings.number(kOrder).value_or(1.0));
  AnalysisResult result = derivedChannels(table, channels, [&](Table of, const std::string& name) {
    return filter(std::move(of), name, cutoff_hz, order);
  });
  result.notes.emplace_back(
      "Butterworth filter, forwards and backwards: no phase shift, -3 dB at the cut-off frequency. Near both ends the "
      "values depend on rows that do not exist.");
  return result;
}

AnalysisResult derivativeOf(const Table& table, const std::vector<std::string>& channels, const AnalysisSettings&) {
  AnalysisResult result = derivedChannels(
      table, channels, [](Table of, const std::string& name) { return derivative(std::move(of), name); });
  result.notes.emplace_back("Central differences, which damp frequencies near half the rate.");
  return result;
}

AnalysisResult integralOf(const Table& table, const std::vector<std::string>& channels,
                          const AnalysisSettings& settings) {
  const auto detrend = static_cast<Detrend>(settings.word(options::kDetrend));
  AnalysisResult result = derivedChannels(
      table, channels, [&](Table of, const std::string& name) { return integral(std::move(of), name, detrend); });
  result.notes.push_back("Trapezoidal rule, 0 at the first row. Taken away first: " +
                         std::string(kDetrendWords[static_cast<std::size_t>(detrend)]) + ".");
  return result;
}

AnalysisResult resampleOf(const Table& table, const std::vector<std::string>& channels,
                          const AnalysisSettings& settings) {
  const double rate_hz = settings.number(kRate).value_or(0.0);
  AnalysisResult result = derivedChannels(table, channels, [&](Table of, const std::string& name) {
    return resampled(chosen(std::move(of), {name}), rate_hz);
  });
  for (ResultCurve& curve : result.curves) curve.quantity += "; resampled";
  result.notes.emplace_back(
      "The low-pass before the change of rate passes up to 0.8 of half the lower rate and rejects what lies above half "
      "of it.");
  return result;
}

}  // namespace

constinit const Analysis kLowPassAnalysis{
    "low-pass",           "Low-pass",     "Channels without the frequencies above a cut-off, without phase shift",
    AnalysisInputs::each, kFilterOptions, filterAnalysis<lowPassed>};

constinit const Analysis kHighPassAnalysis{
    "high-pass",          "High-pass",    "Channels without the frequencies below a cut-off, without phase shift",
    AnalysisInputs::each, kFilterOptions, filterAnalysis<highPassed>};

constinit const Analysis kDerivativeAnalysis{"derivative",         "Derivative", "Derivative over time",
                                             AnalysisInputs::each, {},           derivativeOf};

constinit const Analysis kIntegralAnalysis{"integral",           "Integral",       "Integral over time",
                                           AnalysisInputs::each, kIntegralOptions, integralOf};

constinit const Analysis kResampleAnalysis{
    "resample",           "Resampled record", "Channels at another rate, behind an anti-alias filter",
    AnalysisInputs::each, kResampleOptions,   resampleOf};

}  // namespace hyb
