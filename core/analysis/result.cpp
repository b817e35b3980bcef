#include <array>
#include <charconv>
#include <memory>

#include "core/analysis/analysis.h"
#include "core/base/words.h"

namespace hyb {
namespace {

/// All digits, and the unit.
std::string factText(const ResultNumber& number) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number.value).ptr;
  return std::string(digits.data(), end) + (number.unit.empty() || number.unit == "1" ? "" : " ") +
         (number.unit == "1" ? "" : number.unit);
}

Channel axisChannel(const ResultAxis& axis) { return {lowered(axis.quantity), axis.unit, axis.quantity}; }

}  // namespace

Table tableOf(AnalysisResult result) {
  const auto kept = std::make_shared<const AnalysisResult>(std::move(result));
  Table table;
  table.title = kept->title;
  table.facts.emplace_back("analysis", kept->analysis);
  for (const ResultNumber& number : kept->numbers) table.facts.emplace_back(number.name, factText(number));
  std::string notes;
  for (const std::string& note : kept->notes) notes += (notes.empty() ? "" : " ") + note;
  if (!notes.empty()) table.facts.emplace_back("notes", notes);

  const auto part = [](const std::vector<double>& values, std::uint64_t first, std::uint64_t count) {
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<double>(from, from + static_cast<std::ptrdiff_t>(count));
  };
  if (kept->map) {
    const ResultMap& map = *kept->map;
    table.rows = map.values.size();
    table.channels = {axisChannel(kept->x), axisChannel(map.y), {map.name, map.unit, map.quantity}};
    table.read = [=](std::size_t channel, std::uint64_t first, std::uint64_t count) {
      if (channel == 2) return part(kept->map->values, first, count);
      const std::size_t each = kept->map->y.values.size();
      std::vector<double> values;
      for (std::uint64_t row = first; row < first + count; ++row)
        values.push_back(channel == 0 ? kept->x.values[row / each] : kept->map->y.values[row % each]);
      return values;
    };
    return table;
  }
  table.rows = kept->x.values.size();
  table.rate_hz = kept->rate_hz;
  if (table.rate_hz > 0.0 && table.rows > 0) table.start_s = kept->x.values.front();
  const std::size_t before = table.rate_hz > 0.0 ? 0 : 1;
  if (before == 1) table.channels.push_back(axisChannel(kept->x));
  for (const ResultCurve& curve : kept->curves)
    table.channels.push_back({curve.name, curve.unit, curve.quantity + " of " + curve.channel});
  table.read = [=](std::size_t channel, std::uint64_t first, std::uint64_t count) {
    return part(channel < before ? kept->x.values : kept->curves[channel - before].values, first, count);
  };
  return table;
}

}  // namespace hyb
