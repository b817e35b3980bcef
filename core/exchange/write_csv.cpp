#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>

#include "core/base/csv.h"
#include "core/exchange/members.h"

namespace hyb {
namespace {

/// Shortest digits that read back as the same number; nothing for a missing value.
void append(std::string& line, double value) {
  if (!std::isfinite(value)) return;
  std::array<char, 32> digits{};
  line.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

}  // namespace

/// RFC 4180 with line ends of one character: names, units if asked for, then one line per row with the time first. A
/// missing value is an empty field.
bool writeCsv(const Table& table, const std::filesystem::path& file, const ExportOptions& options,
              const ExchangeWatch& watch) {
  std::ofstream out(file, std::ios::binary);
  const bool timed = table.rate_hz > 0.0;
  CsvText head;
  if (timed) head.add("time");
  for (const Channel& channel : table.channels) head.add(channel.name);
  head.endRow();
  if (options.units_line) {
    if (timed) head.add("s");
    for (const Channel& channel : table.channels) head.add(channel.units);
    head.endRow();
  }
  out << head.text();
  const bool done = eachBlock(table, watch, [&](std::uint64_t first, std::uint64_t count) {
    std::vector<std::vector<double>> columns;
    for (std::size_t c = 0; c < table.channels.size(); ++c) columns.push_back(table.read(c, first, count));
    std::string lines;
    for (std::uint64_t row = 0; row < count; ++row) {
      if (timed) append(lines, table.time_s(first + row));
      for (std::size_t c = 0; c < columns.size(); ++c) {
        if (timed || c > 0) lines += ',';
        append(lines, columns[c][row]);
      }
      lines += '\n';
    }
    if (!out.write(lines.data(), static_cast<std::streamsize>(lines.size()))) refuseExport(std::strerror(errno));
  });
  out.close();
  if (done && !out) refuseExport(std::strerror(errno));
  return done;
}

}  // namespace hyb
