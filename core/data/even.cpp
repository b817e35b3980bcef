#include "core/data/even.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/numbers.h"

namespace hyb {
namespace {

constexpr std::uint64_t kBlock = 1u << 16;          // rows read at once
constexpr std::uint64_t kMostMissed = 100'000'000;  // periods; damaged ticks must not fill the memory

/// Rows that follow each other without a missed period.
struct Piece {
  std::uint64_t row, period, count;
};

std::vector<Piece> piecesOf(const Table& recorded, std::size_t tick_channel) {
  std::vector<Piece> pieces;
  std::uint64_t first_tick = 0;
  for (std::uint64_t row = 0; row < recorded.rows; row += kBlock) {
    const std::vector<double> ticks = recorded.read(tick_channel, row, std::min(kBlock, recorded.rows - row));
    for (std::size_t k = 0; k < ticks.size(); ++k) {
      const auto tick = static_cast<std::uint64_t>(ticks[k]);
      if (pieces.empty()) {
        first_tick = tick;
        pieces.push_back({0, 0, 1});
        continue;
      }
      Piece& last = pieces.back();
      const std::uint64_t next = first_tick + last.period + last.count;
      if (!(ticks[k] >= static_cast<double>(next)) || tick - next > kMostMissed)
        throw DeviceError("The ticks of the run do not ascend at row " + std::to_string(row + k) +
                          ". Check the file with hybridbench verify.");
      if (tick == next)
        ++last.count;
      else
        pieces.push_back({row + k, tick - first_tick, 1});
    }
  }
  return pieces;
}

/// Periods [first, first + count) of a channel; `holds`: missed periods have the value of the row before them.
std::vector<double> evenValues(const Table& recorded, const std::vector<Piece>& pieces, std::size_t channel, bool holds,
                               std::uint64_t first, std::uint64_t count) {
  std::vector<double> values(count, kNoValue);
  auto piece = std::ranges::upper_bound(pieces, first, {}, &Piece::period);
  if (piece != pieces.begin()) --piece;
  for (; piece != pieces.end() && piece->period < first + count; ++piece) {
    const std::uint64_t ends = piece->period + piece->count;
    const std::uint64_t from = std::max(first, piece->period), end = std::min(first + count, ends);
    if (from < end)
      std::ranges::copy(recorded.read(channel, piece->row + (from - piece->period), end - from),
                        values.begin() + static_cast<std::ptrdiff_t>(from - first));
    if (!holds || piece + 1 == pieces.end() || ends >= first + count) continue;
    const std::uint64_t until = std::min(first + count, (piece + 1)->period), missed = std::max(first, ends);
    if (missed >= until) continue;
    const double last =
        from < end ? values[end - 1 - first] : recorded.read(channel, piece->row + piece->count - 1, 1)[0];
    std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(missed - first), until - missed, last);
  }
  return values;
}

}  // namespace

Table evenRows(Table recorded) {
  if (!(recorded.rate_hz > 0.0)) throw DeviceError("The run has no rate.");
  if (recorded.rows == 0) throw DeviceError("The run has no rows: it ended before its first tick.");
  Table even = recorded;
  even.start_s = recorded.read(placeOf(recorded, ColumnRole::time), 0, 1).front();
  even.channels.clear();
  std::vector<std::size_t> places;
  for (std::size_t c = 0; c < recorded.channels.size(); ++c) {
    if (recorded.channels[c].role == ColumnRole::time || recorded.channels[c].role == ColumnRole::tick) continue;
    even.channels.push_back(recorded.channels[c]);
    places.push_back(c);
  }
  std::vector<Piece> pieces = piecesOf(recorded, placeOf(recorded, ColumnRole::tick));
  even.rows = pieces.back().period + pieces.back().count;
  even.read = [recorded = std::move(recorded), pieces = std::move(pieces), places = std::move(places)](
                  std::size_t channel, std::uint64_t first, std::uint64_t count) {
    const bool holds = recorded.channels[places[channel]].role == ColumnRole::adapted;
    return evenValues(recorded, pieces, places[channel], holds, first, count);
  };
  return even;
}

}  // namespace hyb
