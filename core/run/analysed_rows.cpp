#include "core/run/analysed_rows.h"

#include <algorithm>
#include <tuple>

#include "core/base/checks.h"
#include "core/base/error.h"

namespace hyb {
namespace {

constexpr std::uint64_t kSlice = 65536;  // rows in memory at once
constexpr double kMostMissed = 1e8;      // interpolated periods: a day at 1 kHz; a larger number means a damaged file

/// Rows [first, end) of several channels, slice by slice; calls each(row, values). Stops where each() returns false.
template <typename Each>
void slices(const Table& table, const std::vector<std::size_t>& channels, std::uint64_t first, std::uint64_t end,
            Each&& each) {
  std::vector<std::vector<double>> columns(channels.size());
  std::vector<double> values(channels.size());
  for (std::uint64_t start = first; start < end; start += kSlice) {
    const std::uint64_t count = std::min(kSlice, end - start);
    for (std::size_t c = 0; c < channels.size(); ++c) columns[c] = table.read(channels[c], start, count);
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t c = 0; c < channels.size(); ++c) values[c] = columns[c][k];
      if (!each(start + k, values)) return;
    }
  }
}

}  // namespace

AnalysedRows::AnalysedRows(const RunRecord& run) : run_(run), window_(analysisWindow(run.project, run.table.rate_hz)) {
  CountedRows counted(window_);
  double last_tick = -1.0;
  std::uint64_t end = 0;
  const Table& table = run.table;
  if (table.rows == 0) {
    share_ = 0.0;
    return;
  }
  const std::vector<std::size_t> clock{placeOf(table, ColumnRole::time), placeOf(table, ColumnRole::flags),
                                       placeOf(table, ColumnRole::tick)};
  slices(table, clock, 0, table.rows, [&](std::uint64_t row, std::span<const double> values) {
    const auto [time, flag, tick] = std::tuple(values[0], static_cast<std::uint32_t>(values[1]), values[2]);
    const double skipped = row > 0 ? std::max(0.0, tick - last_tick - 1.0) : 0.0;
    if (static_cast<double>(missed_in_all_) + skipped > kMostMissed)
      throw DeviceError("the ticks of the run are damaged: row " + std::to_string(row) + " says that " +
                        Checks::text(skipped, "") + " were missed before it");
    const auto missed = static_cast<std::uint64_t>(skipped);
    last_tick = tick;
    last_s_ = time;
    missed_in_all_ += missed;
    if (counted.part() != CountedRows::Part::over && (flag & kFlagStopping) == 0) ended_s_ = time;
    const CountedRows::Part part = counted.next(time, values[1]);
    if (part == CountedRows::Part::over) return true;
    end = row + 1;
    if (part == CountedRows::Part::before) {
      first_ = end;
      return true;
    }
    if (row == first_) from_s_ = time;
    to_s_ = time;
    if ((flag & kFlagLimitActive) != 0) ++limit_rows_;
    if ((flag & kFlagEmulatedForce) != 0) ++emulated_rows_;
    if (row > first_) missed_ += missed;
    return true;
  });
  if (end < first_ + kFewestRows) {
    share_ = 0.0;
    return;
  }
  rows_ = end - first_;
  const double planned_s = window_.end_s() - window_.start_s;
  const bool as_planned = run.ended == EndReason::completed &&
                          run.project.contains(Json::json_pointer("/loop/trials"));  // such a rule of the trials
  if (window_.duration_s > 0.0 && planned_s > 0.0 && !as_planned)
    share_ = std::min(1.0, (static_cast<double>(rows_ + missed_) + 1.0) * window_.step_s / planned_s);
}

std::size_t AnalysedRows::interfaces() const {
  int count = 0;
  while (find(table(), ColumnRole::gap, count + 1)) ++count;
  return static_cast<std::size_t>(count);
}

std::vector<double> AnalysedRows::channel(std::size_t place) const {
  if (missed_ == 0) return table().read(place, first_, rows_);
  std::vector<double> filled;
  filled.reserve(static_cast<std::size_t>(rows_ + missed_));
  visit({place}, [&](std::span<const double> values, bool) { filled.push_back(values[0]); });
  return filled;
}

std::vector<double> AnalysedRows::channel(std::optional<std::size_t> place) const {
  return place && !empty() ? channel(*place) : std::vector<double>();
}

std::vector<double> AnalysedRows::channel(ColumnRole role, std::size_t i) const {
  return channel(find(table(), role, static_cast<int>(i) + 1));
}

void AnalysedRows::visit(const std::vector<std::size_t>& channels,
                         const std::function<void(std::span<const double>, bool)>& each) const {
  std::vector<std::size_t> all = channels;
  all.insert(all.end(), {placeOf(table(), ColumnRole::flags), placeOf(table(), ColumnRole::tick)});
  std::vector<double> last, between(channels.size());
  slices(table(), all, first_, first_ + rows_, [&](std::uint64_t, std::span<const double> values) {
    const bool held = !coupled(values[channels.size()]);
    const double skipped = last.empty() ? 1.0 : values.back() - last.back();
    for (double j = 1.0; j < skipped; ++j) {
      for (std::size_t c = 0; c < between.size(); ++c) between[c] = last[c] + (values[c] - last[c]) * j / skipped;
      each(between, held);
    }
    each(values.first(channels.size()), held);
    last.assign(values.begin(), values.end());
    return true;
  });
}

}  // namespace hyb
