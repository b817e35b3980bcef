#pragma once
#include <array>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/sha256.h"
#include "core/record/held_file.h"
#include "core/record/run_file_writer.h"

namespace hyb {

constexpr std::size_t kEventMessageBytes = 160;  // fixed length of /events/message

/// One growing dataset. Values are held until a block is complete or a flush is due.
struct Column {
  enum class Type { f64, u64, u32, i64 } type = Type::f64;
  std::size_t source = 0;  // column of the row
  std::string digest;      // name under /analysis/sha256; empty: none
  h5::Handle dataset;
  std::vector<double> values;
  Sha256 sha;
};

/// Parameter adapted by a compensator: only changes are stored.
struct AdaptedSeries {
  std::size_t source = 0;
  h5::Handle tick, value;
  std::vector<std::uint64_t> ticks;
  std::vector<double> values;
  double last = std::numeric_limits<double>::signaling_NaN();  // differs from any value
  hsize_t written = 0;
};

/// The open run file and its growing datasets.
struct RunFileTree {
  h5::Handle file;
  std::vector<Column> columns;
  std::vector<AdaptedSeries> adapted;
  std::vector<Column> segments;             // trials; empty for a test of one segment
  std::array<h5::Handle, 6> event_columns;  // tick, code, severity, message, index, value
  h5::Handle message_type;
};

/// Groups whose datasets are the columns of the run table, one row per tick.
inline constexpr std::array<std::string_view, 2> kRowGroups = {"acquisition", "timing"};
/// "acquisition/time" and so on. A row counts if all of them contain it: a flush writes one after the other. Throws
/// DeviceError.
std::vector<std::string> rowColumns(hid_t file);

/// Creates /analysis with space for the digest of each of these datasets of /acquisition.
void createAnalysis(hid_t file, std::span<const std::string> hashed);

/// Creates every group, dataset and attribute of a run file, then switches to SWMR; nothing can be created after that.
/// Throws DeviceError.
RunFileTree createRunFileTree(const h5::HeldFile& held, const RunFileHeader& header, const RowLayout& layout,
                              std::size_t chunk_rows);

}  // namespace hyb
