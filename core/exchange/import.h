#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/exchange/format.h"

namespace hyb {

/// A channel that an import takes over.
struct ImportedChannel {
  std::size_t column = 0;  // of the table of the file
  std::string name;        // "target_1" with its meaning in a run file, or any other: letters, digits and _
  std::string unit;        // in which the file has it, "mm"; values become SI, those of an unknown unit stay
  bool inverted = false;   // positive in the other direction: the sign is turned over
};

/// What becomes of a file of another program: which of its columns are which channels, and when its rows were.
struct ImportPlan {
  std::size_t table = 0;            // of ForeignFile::tables
  std::optional<std::size_t> time;  // column with the times of the rows; none: even rows
  std::string time_unit = "s";
  std::optional<double> rate_hz;  // of even rows: in place of that of the file; of uneven ones: of the record made
  std::vector<ImportedChannel> channels;
};

/// The plan that the names, roles and units of a table suggest: a column called time is the time, all other columns
/// are channels. Throws InputError for an unknown table, with the tables of the file.
ImportPlan suggestedPlan(const ForeignFile& file, std::size_t table = 0);

/// A record of another program in SI, evenly spaced.
struct ImportedRecord {
  Table table;
  std::vector<std::string> notes;  // sentences: what was converted, interpolated or kept as it was
};

/// Applies a plan. Rows at uneven times are interpolated linearly. Throws InputError with the column and the remedy: no
/// rate, times that do not ascend, fewer than two rows, a name that is used twice or is none, an unknown column.
ImportedRecord imported(const ForeignFile& file, const ImportPlan& plan);

/// Where an imported record comes from.
struct ImportOrigin {
  std::filesystem::path file;
  std::string title, operator_name;
  std::string project_json;              // of the test it belongs to; "": unknown
  std::filesystem::path project_folder;  // where the relative paths of the project start
};

/// Writes an imported record as a run file that is marked as imported: attributes imported_from and imported_sha256 of
/// /config. A gap that is missing is computed from target and measured signal. Nothing is written before the record has
/// been judged whole; an existing file is refused. Throws InputError (a channel in another unit than its meaning has, a
/// project with another rate or another number of interfaces) and DeviceError.
void writeImported(const ImportedRecord& record, const ImportOrigin& origin, const std::filesystem::path& run_file);

}  // namespace hyb
