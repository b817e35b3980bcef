#pragma once
#include <cstdint>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "core/analysis/analysis.h"

namespace hyb::test {

struct NamedColumn {
  std::string name, units;
  std::vector<double> values;
};

inline Table columnsTable(double rate_hz, std::vector<NamedColumn> columns, double start_s = 0.0) {
  Table table;
  table.rate_hz = rate_hz;
  table.start_s = start_s;
  table.rows = columns.front().values.size();
  for (const NamedColumn& column : columns) table.channels.push_back({column.name, column.units, "from a test"});
  table.read = [columns = std::move(columns)](std::size_t channel, std::uint64_t first, std::uint64_t count) {
    const auto from = columns[channel].values.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<double>(from, from + static_cast<std::ptrdiff_t>(count));
  };
  return table;
}

inline std::vector<double> sineRows(double amplitude, double hz, double rate_hz, std::size_t rows, double phase = 0.3) {
  std::vector<double> values;
  for (std::size_t k = 0; k < rows; ++k)
    values.push_back(amplitude * std::sin(2.0 * std::numbers::pi * hz * static_cast<double>(k) / rate_hz + phase));
  return values;
}

inline std::vector<double> noiseRows(unsigned seed, std::size_t rows, double deviation = 1.0) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal(0.0, deviation);
  std::vector<double> values;
  for (std::size_t k = 0; k < rows; ++k) values.push_back(normal(generator));
  return values;
}

inline AnalysisResult analysed(const Table& table, const std::string& name, const std::vector<std::string>& channels,
                               const std::map<std::string, std::string>& settings = {}) {
  return analyse(table, analysis(name), channels, settings);
}

/// NaN for a number that the result does not have.
inline double numberOf(const AnalysisResult& result, const std::string& name) {
  for (const ResultNumber& number : result.numbers)
    if (number.name == name) return number.value;
  return std::nan("");
}

/// Throws if the result has no such curve.
inline const ResultCurve& curveOf(const AnalysisResult& result, const std::string& name) {
  for (const ResultCurve& curve : result.curves)
    if (curve.name == name) return curve;
  throw std::out_of_range(name);
}

}  // namespace hyb::test
