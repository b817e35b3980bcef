#pragma once
#include <Eigen/Core>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/loop/realtime.h"
#include "core/loop/row.h"
#include "core/record/place.h"
#include "core/tick/event.h"

namespace hyb {

/// Metadata of a run file, written before the first row.
struct RunFileHeader {
  std::string title, operator_name, started_at, uuid;  // started_at and uuid empty: generated
  RealtimeOutcome realtime{Realtime::free_run, "free run"};
  double rate_hz = 0.0;
  std::string project_json;  // exact document
  struct Matrix {
    std::string name, units, description;
    Eigen::MatrixXd value;
  };
  std::vector<Matrix> matrices;  // m, c, k, partition, ...
  std::vector<std::pair<std::string, std::string>> designsafe;
  /// Kind of structure, reductions and solver actually used: attributes of /config.
  std::vector<std::pair<std::string, std::string>> used = {};
  /// Initial learnt values of the compensator; empty: none.
  std::vector<double> begun_with = {};
};

struct RunFileEnd {
  bool complete = false, valid = false;
  std::string stop_reason;
  std::uint64_t black_box_rows = 0;  // stored also in /black_box after an abort; 0: none
  EndReason ended = EndReason::unknown;
  std::uint64_t rows_lost = 0;   // computed, but not in the file
  bool verdict_follows = false;  // recordVerdict() will seal the file, which is read only once then
};

/// Writes one run file with SWMR. One thread owns it. Every member throws DeviceError on the first failed HDF5 call.
/// After that only close() may be called, which trims all datasets to the complete rows.
class RunFileWriter {
 public:
  /// Creates the whole tree and switches to SWMR. Refuses an existing file and a folder that cannot be written.
  RunFileWriter(const std::filesystem::path& file, const RunFileHeader& header, const RowLayout& layout,
                const EventNames& names, std::size_t chunk_rows);
  ~RunFileWriter();
  /// Appends complete rows [rows * width]; adapted quantities are appended to /adaptation when they changed.
  void append(std::span<const double> rows);
  void append(const Event& event);
  /// Complete rows of the layout's segment columns.
  void appendSegments(std::span<const double> rows);
  void setRealtime(const RealtimeOutcome& outcome);  // fixed-size attributes, overwritten in place
  void flush();
  std::uint64_t rows() const noexcept;
  std::uint64_t bytes() const noexcept;  // written so far, approximately
  /// Leaves SWMR, trims, writes SHA-256 of each acquisition dataset into /analysis/sha256, sets complete, valid,
  /// stop_reason. After a failure the file is closed with the rows that are certainly on the disk, complete 0, valid 0
  /// and the failure as stop_reason; then DeviceError is thrown (again).
  void close(const RunFileEnd& end);

  // The file is held until this object is destroyed, whatever its name. These may also be called after close().
  /// Message about its name, once for each change: moved or deleted.
  std::optional<PlaceNotice> look();
  /// Its current place; empty: deleted or not found.
  std::filesystem::path path() const;
  /// A name that refers to it in this process until this object is destroyed.
  std::filesystem::path alias() const;
  /// Waits until the closed file and its name are on the disk. Throws DeviceError.
  void sync();
  /// Deletes it if its name still refers to it.
  void remove() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hyb
