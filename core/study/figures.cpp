#include "core/study/figures.h"

#include <algorithm>
#include <cmath>

#include "core/assess/measures.h"
#include "core/base/numbers.h"

namespace hyb {

std::span<const FigureKind> figureKinds() noexcept {
  static const std::vector<std::string> descriptions = [] {
    std::vector<std::string> list;
    for (const Measure& measure : measures()) list.push_back(measure.description());
    return list;
  }();
  static const std::vector<FigureKind> kinds = [] {
    std::vector<FigureKind> list;
    for (const Measure& measure : measures())
      list.push_back({measure.name, measure.unit, descriptions[list.size()].c_str(), !measure.ofTest(), &measure});
    return list;
  }();
  return kinds;
}

std::string FigureColumn::name() const {
  return interface == 0 ? kind->name : std::string(kind->name) + "_" + std::to_string(interface);
}

std::vector<FigureColumn> figureColumns(const std::vector<std::string>& measures, std::size_t interfaces) {
  std::vector<FigureColumn> columns;
  for (const FigureKind& kind : figureKinds()) {
    if (std::find(measures.begin(), measures.end(), kind.name) == measures.end()) continue;
    if (!kind.per_interface) columns.push_back({&kind, 0});
    for (std::size_t i = 1; kind.per_interface && i <= interfaces; ++i) columns.push_back({&kind, static_cast<int>(i)});
  }
  return columns;
}

std::vector<double> figureValues(const RunRecord& run, const std::vector<FigureColumn>& columns) {
  const AnalysedRows rows(run);
  const std::vector<MeasureReading> readings = readMeasures(run, rows, [&](const Measure& measure) {
    return std::ranges::any_of(columns, [&](const FigureColumn& column) { return column.kind->measure == &measure; });
  });
  std::vector<double> values;
  values.reserve(columns.size());
  for (const FigureColumn& column : columns) {
    const auto found = std::ranges::find_if(readings, [&](const MeasureReading& reading) {
      return reading.measure == column.kind->measure && reading.interface == column.interface;
    });
    values.push_back(found != readings.end() && std::isfinite(found->value) ? found->value : kNoValue);
  }
  return values;
}

}  // namespace hyb
