#include "core/assess/trials.h"

#include <vector>

namespace hyb {

std::optional<TrialScatter> trialScatter(const AnalysedRows& rows, std::span<const double> channel) {
  const Table& table = rows.table();
  if (!table.segments || channel.empty()) return {};
  const Table& segments = *table.segments;
  if (!find(segments, "trial")) return {};
  const double begin = table.read(placeOf(table, ColumnRole::tick), rows.first(), 1).at(0),
               end = begin + static_cast<double>(channel.size());
  const auto column = [&segments](const char* name) { return segments.column(*find(segments, name)); };
  const std::vector<double> first = column("first_tick"), last = column("last_tick"), whole = column("whole");
  std::vector<std::span<const double>> trials;  // the first one of a run has one row more: that of its time 0
  for (std::size_t row = 0; row < segments.rows; ++row)
    if (whole[row] != 0.0 && first[row] >= begin && last[row] >= first[row] && last[row] < end)
      trials.push_back(channel.subspan(static_cast<std::size_t>(first[row] - begin),
                                       static_cast<std::size_t>(last[row] - first[row]) + 1));
  return trialScatter(trials);
}

}  // namespace hyb
