#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/data/channel.h"
#include "core/data/event.h"

namespace hyb {

/// Channels over one time base. Values are read in blocks, so that a table may be larger than the memory. A run as it
/// was recorded has columns with the roles time, tick and flags, and no rows for missed periods; evenRows() makes the
/// even table of it.
struct Table {
  std::string title;
  double rate_hz = 0.0;  // rows per second, of recorded rows periods per second; 0: the rows are not evenly spaced
  double start_s = 0.0;  // time of row 0
  std::uint64_t rows = 0;
  std::vector<Channel> channels;
  std::vector<std::pair<std::string, std::string>> facts;  // origin of the data: "operator" and its text
  std::vector<RecordedEvent> events;
  std::shared_ptr<const Table> segments;  // one row per trial, frequency or point of a path; null: one segment
  /// Rows [first, first + count) of a channel, all within the table; NaN for a missing value.
  std::function<std::vector<double>(std::size_t channel, std::uint64_t first, std::uint64_t count)> read;

  /// Time of a row, s; only with a rate.
  double time_s(std::uint64_t row) const noexcept { return start_s + static_cast<double>(row) / rate_hz; }
  std::vector<double> column(std::size_t channel) const { return read(channel, 0, rows); }
};

/// A table whose values are in the memory, [channel][row], up to the shortest column.
Table tableInMemory(std::vector<Channel> channels, std::vector<std::vector<double>> columns);

/// Index of the channel with this name.
std::optional<std::size_t> find(const Table& table, std::string_view name);
/// Index of the channel with this role, at this interface from 1.
std::optional<std::size_t> find(const Table& table, ColumnRole role, int interface = 0);
/// Place of the channel with this role. Throws DeviceError if there is none.
std::size_t placeOf(const Table& table, ColumnRole role, int interface = 0);
/// All values, [row][channel]; for tables with few rows.
std::vector<std::vector<double>> rowsOf(const Table& table);
/// All its values; none if there is no such channel.
std::optional<std::vector<double>> values(const Table& table, std::string_view name);

/// The same. Throws InputError for an unknown name, with the known ones.
std::size_t placeOf(const Table& table, const std::string& name);

/// The channels with these names, in their order. Throws InputError for an unknown name, with the known ones.
Table chosen(Table table, const std::vector<std::string>& names);

/// The rows from `from_s` to before `to_s`. Throws InputError if there are none, or the table has no rate.
Table stretch(Table table, double from_s, double to_s);

}  // namespace hyb
