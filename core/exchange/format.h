#pragma once
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/data/table.h"

namespace hyb {

/// Called between blocks with the share that is done, 0 to 1. False: give up.
using ExchangeWatch = std::function<bool(double share)>;

struct ExportOptions {
  bool units_line = true;  // of texts: a second line with the units
};

/// What a reader found in a file of another program.
struct ForeignFile {
  /// Each with one time base, in the order of the file, values and units as the file has them. Without a rate the
  /// column with the role time, if there is one, tells the times of the rows.
  std::vector<Table> tables;
  std::vector<std::string> notes;  // sentences: what is incomplete, and what was left out
};

/// One file format of other programs.
struct ExchangeFormat {
  std::string_view name, suffix, title;  // "mat", ".mat", "MATLAB 5"
  /// Writes the file. False: given up. Throws DeviceError (cannot be written) or InputError (the format cannot hold
  /// it). Null: cannot be written.
  bool (*write)(const Table& table, const std::filesystem::path& file, const ExportOptions& options,
                const ExchangeWatch& watch);
  /// Reads the file; at least one table. Throws InputError with the place of the fault. Null: another format reads it.
  ForeignFile (*read)(const std::filesystem::path& file) = nullptr;
};

/// All formats, in the order in which they are offered. Of formats with one suffix the first is the usual one.
std::span<const ExchangeFormat> exchangeFormats() noexcept;

/// The format with this name that can be written; "": the usual one for the suffix of `file`. Throws InputError with
/// the known ones.
const ExchangeFormat& exchangeFormat(const std::string& name, const std::filesystem::path& file);

/// Reads a file of another program. `format`: its name; "": by the first bytes of the file, then by its suffix. Throws
/// InputError (not readable, unknown format with the known ones, as ExchangeFormat::read).
ForeignFile readForeign(const std::filesystem::path& file, const std::string& format = "");

/// Writes the table beside `file` and puts it in its place when it is whole and on the disk. False: given up, and
/// nothing has changed. Throws as ExchangeFormat::write.
bool exportTable(const Table& table, const std::filesystem::path& file, const ExchangeFormat& format,
                 const ExportOptions& options = {}, const ExchangeWatch& watch = {});

/// Calls take(first, count) for blocks of rows and `watch` between them; false: given up. `part` of `parts` is under
/// way, for a format that writes channel by channel.
bool eachBlock(const Table& table, const ExchangeWatch& watch,
               const std::function<void(std::uint64_t first, std::uint64_t count)>& take, std::size_t part = 0,
               std::size_t parts = 1);

/// For a writer that the disk refuses: exportTable() adds the name and the remedy.
[[noreturn]] void refuseExport(const std::string& why);

}  // namespace hyb
