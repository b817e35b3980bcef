#include "core/data/table.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/figure_text.h"
#include "core/base/words.h"

namespace hyb {

Table tableInMemory(std::vector<Channel> channels, std::vector<std::vector<double>> columns) {
  Table table;
  if (!columns.empty()) table.rows = columns.front().size();
  for (const std::vector<double>& column : columns) table.rows = std::min<std::uint64_t>(table.rows, column.size());
  table.channels = std::move(channels);
  table.read = [kept = std::make_shared<const std::vector<std::vector<double>>>(std::move(columns))](
                   std::size_t channel, std::uint64_t first, std::uint64_t count) {
    const auto begin = (*kept)[channel].begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  return table;
}

std::optional<std::size_t> find(const Table& table, std::string_view name) {
  const auto found = std::ranges::find(table.channels, name, &Channel::name);
  if (found == table.channels.end()) return std::nullopt;
  return static_cast<std::size_t>(found - table.channels.begin());
}

std::optional<std::size_t> find(const Table& table, ColumnRole role, int interface) {
  const auto found = std::ranges::find_if(
      table.channels, [&](const Channel& one) { return one.role == role && one.interface == interface; });
  if (found == table.channels.end()) return std::nullopt;
  return static_cast<std::size_t>(found - table.channels.begin());
}

std::size_t placeOf(const Table& table, ColumnRole role, int interface) {
  if (const std::optional<std::size_t> place = find(table, role, interface)) return *place;
  throw DeviceError("The record has no channel \"" + std::string(name(role)) +
                    (interface > 0 ? "_" + std::to_string(interface) : "") + "\".");
}

std::vector<std::vector<double>> rowsOf(const Table& table) {
  std::vector<std::vector<double>> rows(table.rows, std::vector<double>(table.channels.size()));
  for (std::size_t c = 0; c < table.channels.size(); ++c) {
    const std::vector<double> column = table.column(c);
    for (std::size_t r = 0; r < rows.size(); ++r) rows[r][c] = column[r];
  }
  return rows;
}

std::optional<std::vector<double>> values(const Table& table, std::string_view name) {
  const std::optional<std::size_t> place = find(table, name);
  return place ? std::optional(table.column(*place)) : std::nullopt;
}

std::size_t placeOf(const Table& table, const std::string& name) {
  const std::optional<std::size_t> place = find(table, name);
  if (place) return *place;
  std::vector<std::string> known;
  for (const Channel& channel : table.channels) known.push_back(channel.name);
  std::string all;
  for (const std::string& one : known) all += (all.empty() ? "" : ", ") + one;
  throw InputError(name, "is not a channel of this record. " + hint(name, known) + "Channels: " + all + ".");
}

Table chosen(Table table, const std::vector<std::string>& names) {
  std::vector<std::size_t> places;
  std::vector<Channel> channels;
  for (const std::string& name : names) {
    places.push_back(placeOf(table, name));
    channels.push_back(table.channels[places.back()]);
  }
  table.channels = std::move(channels);
  table.read = [places = std::move(places), read = std::move(table.read)](std::size_t channel, std::uint64_t first,
                                                                          std::uint64_t count) {
    return read(places[channel], first, count);
  };
  return table;
}

Table stretch(Table table, double from_s, double to_s) {
  if (!(table.rate_hz > 0.0))
    throw InputError("", "A stretch of time needs a record with a rate, and this one has none; export all rows.");
  // A time that is meant to be that of a row may differ from it in the last digits.
  constexpr double kSameRow = 1e-6;
  const auto rowAt = [&](double time_s) {
    const double row = std::ceil((time_s - table.start_s) * table.rate_hz - kSameRow);
    return static_cast<std::uint64_t>(std::clamp(row, 0.0, static_cast<double>(table.rows)));
  };
  const std::uint64_t first = rowAt(from_s), end = rowAt(to_s);
  if (!(first < end))
    throw InputError("", "There are no rows from " + figureText(from_s) + " s to " + figureText(to_s) +
                             " s; the record has " + figureText(table.start_s) + " s to " +
                             figureText(table.time_s(table.rows)) + " s.");
  table.start_s = table.time_s(first);
  table.rows = end - first;
  table.read = [first, read = std::move(table.read)](std::size_t channel, std::uint64_t from, std::uint64_t count) {
    return read(channel, first + from, count);
  };
  return table;
}

}  // namespace hyb
