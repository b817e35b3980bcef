#include "core/study/figures.h"

#include <algorithm>

#include "core/assess/metrics.h"
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

bool needsMeasures(const std::vector<FigureColumn>& columns) noexcept {
  return std::any_of(columns.begin(), columns.end(), [](const FigureColumn& column) {
    return column.kind->measure != nullptr && !column.kind->measure->always();
  });
}

std::vector<double> figureValues(const Json& metrics, const std::vector<FigureColumn>& columns) {
  std::vector<double> values;
  values.reserve(columns.size());
  const Json none = Json::array();
  const auto list = metrics.find("interfaces");
  const Json& interfaces = list == metrics.end() ? none : *list;
  for (const FigureColumn& column : columns) {
    const auto at = static_cast<std::size_t>(std::max(column.interface - 1, 0));
    double value = kNoValue;
    if (column.kind->measure != nullptr && (column.interface == 0 || at < interfaces.size())) {
      const Json* figure = readingIn(column.interface == 0 ? metrics : interfaces[at], *column.kind->measure);
      if (figure != nullptr && figure->is_number()) value = figure->get<double>();
    }
    values.push_back(value);
  }
  return values;
}

}  // namespace hyb
