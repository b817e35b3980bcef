#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>

#include "core/base/error.h"
#include "core/base/version.h"
#include "core/exchange/members.h"

namespace hyb {
namespace {

static_assert(std::endian::native == std::endian::little);

// Specific types of record 8 and 9 of set 58: what an axis measures, by its SI unit.
constexpr int kTime = 17, kUnknown = 0;
struct Quantity {
  std::string_view units, label;
  int type;
};
constexpr std::array kQuantities{Quantity{"m", "Displacement", 8}, Quantity{"m/s", "Velocity", 11},
                                 Quantity{"m/s2", "Acceleration", 12}, Quantity{"N", "Force", 13},
                                 Quantity{"N m", "Moment", 13}};

[[gnu::format(printf, 1, 2)]] std::string printed(const char* pattern, ...) {
  std::array<char, 256> text{};
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text.data(), text.size(), pattern, arguments);
  va_end(arguments);
  return text.data();
}

/// Exactly `width` characters; the format counts in characters, so others than ASCII become "?".
std::string fixed(std::string_view text, std::size_t width) {
  std::string line;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0u) == 0x80u) continue;  // the rest of a character that was replaced
    line += c >= ' ' && c <= '~' ? c : '?';
  }
  line.resize(width, ' ');
  return line;
}
std::string record(std::string_view text) { return fixed(text, 80) + "\n"; }

const std::string kMark = "    -1\n";

constexpr std::array kMonths{"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
std::string dated(int day, int month, int year, const std::string& time) {
  return printed("%02d-%s-%02d", day, kMonths[static_cast<std::size_t>(month - 1)], year % 100) + " " + time;
}
/// "2026-11-29T10:00:00+01:00" as "29-NOV-26 10:00:00", in its own time zone; anything else as it is.
std::string dated(const std::string& iso) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  if (std::sscanf(iso.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d", &year, &month, &day, &hour, &minute, &second) != 6 ||
      month < 1 || month > 12)
    return iso;
  return dated(day, month, year, printed("%02d:%02d:%02d", hour, minute, second));
}

/// Set 151: where the file comes from. Set 164: values are in SI.
std::string preamble(const Table& table) {
  const std::time_t now = std::time(nullptr);
  std::tm at{};
  localtime_r(&now, &at);
  const std::string day = dated(at.tm_mday, at.tm_mon + 1, at.tm_year,
                                printed("%02d:%02d:%02d", at.tm_hour, at.tm_min, at.tm_sec)),
                    program = "HybridBench " + programVersion();
  std::string text = kMark + record("   151") + record(table.title.empty() ? "NONE" : table.title) + record("NONE") +
                     record(program) + record(day + printed("  %10d%10d%10d", 0, 0, 0)) + record(day) +
                     record(program) + record(day) + kMark;
  text += kMark + record("   164") + record(printed("%10d%-20s%10d", 1, "SI: m, N", 2));
  text += record("  1.00000000000000000D+00  1.00000000000000000D+00  1.00000000000000000D+00");
  return text + record("  2.73150000000000000D+02") + kMark;
}

/// The eleven records of set 58 for one channel.
std::string header(const Table& table, const Channel& channel, std::size_t number) {
  const auto known = std::ranges::find(kQuantities, std::string_view(channel.units), &Quantity::units);
  const bool is_known = known != kQuantities.end();
  const auto axis = [](int type, std::string_view label, std::string_view units) {
    return record(printed("%10d%5d%5d%5d ", type, 0, 0, 0) + fixed(label, 20) + " " + fixed(units, 20));
  };
  const std::string none = "NONE";
  std::string start = none;
  for (const auto& [name, text] : table.facts)
    if (name == "started_at" && !text.empty()) start = dated(text);
  const int node = channel.interface;  // direction X where there is a node
  std::string text = record(channel.name) + record(channel.description.empty() ? none : channel.description) +
                     record(start) + record(table.title.empty() ? none : table.title) + record(none);
  text += record(printed("%5d%10zu%5d%10d ", 1, number, 0, 0) + fixed(channel.name, 10) +
                 printed("%10d%4d ", node, node > 0 ? 1 : 0) + fixed(none, 10) + printed("%10d%4d", 0, 0));
  text += record(printed("%10d%10llu%10d%13.5E%13.5E%13.5E", 4, static_cast<unsigned long long>(table.rows), 1,
                         table.start_s, 1.0 / table.rate_hz, 0.0));
  text += axis(kTime, "Time", "s");
  text += axis(is_known ? known->type : kUnknown, is_known ? known->label : none,
               channel.units.empty() ? none : channel.units);
  return text + axis(kUnknown, none, none) + axis(kUnknown, none, none);
}

bool write(const Table& table, const std::filesystem::path& file, bool binary, const ExchangeWatch& watch) {
  if (!(table.rate_hz > 0.0))
    throw InputError("", "A universal file is written with an even time base, and this record has no rate.");
  std::ofstream out(file, std::ios::binary);
  out << preamble(table);
  for (std::size_t c = 0; c < table.channels.size(); ++c) {
    const std::uint64_t bytes = table.rows * sizeof(double);
    out << kMark;
    out << (binary ? record(printed("    58b%6d%6d%12d%12llu%6d%6d%12d%12d", 1, 2, 11,
                                    static_cast<unsigned long long>(bytes), 0, 0, 0, 0))
                   : record("    58"));
    out << header(table, table.channels[c], c + 1);
    std::uint64_t on_line = 0;
    const bool done = eachBlock(
        table, watch,
        [&](std::uint64_t first, std::uint64_t count) {
          const std::vector<double> values = table.read(c, first, count);
          if (binary) {
            out.write(reinterpret_cast<const char*>(values.data()),
                      static_cast<std::streamsize>(values.size() * sizeof(double)));
          } else {
            constexpr std::uint64_t kOnALine = 4;
            std::string lines;
            for (const double value : values) {
              lines += printed("%20.12E", value);
              if (++on_line % kOnALine == 0) lines += '\n';
            }
            out.write(lines.data(), static_cast<std::streamsize>(lines.size()));
          }
          if (!out) refuseExport(std::strerror(errno));
        },
        c, table.channels.size());
    if (!done) return false;
    if (!binary && on_line % 4 != 0) out << '\n';
    out << kMark;
  }
  out.close();
  if (!out) refuseExport(std::strerror(errno));
  return true;
}

}  // namespace

/// Sets 151 and 164, then one set 58b per channel: double precision, even spacing, little-endian.
bool writeUffBinary(const Table& table, const std::filesystem::path& file, const ExportOptions&,
                    const ExchangeWatch& watch) {
  return write(table, file, true, watch);
}

/// The same as text, with thirteen digits. A missing value is written as NAN.
bool writeUffText(const Table& table, const std::filesystem::path& file, const ExportOptions&,
                  const ExchangeWatch& watch) {
  return write(table, file, false, watch);
}

}  // namespace hyb
