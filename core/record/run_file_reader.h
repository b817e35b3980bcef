#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/data/event.h"
#include "core/loop/realtime.h"
#include "core/record/verdict.h"

namespace hyb {

struct RunFileInfo {
  std::string title, operator_name, started_at, software_version, host, kernel, uuid, realtime, stop_reason;
  Realtime pace = Realtime::unknown;  // value of `realtime`, which is text
  double rate_hz = 0.0;
  bool complete = false, valid = false, recovered = false;
  bool live = false;           // opened for SWMR reading: the run is active or was killed
  bool writing = false;        // live, and a living process still writes it
  bool event_numbers = false;  // events have index and value; files of older programs have only words
  std::uint64_t rows = 0, rows_lost = 0;
  /// Verdict of the program that recorded it; test is unknown, with the reason, if there is none.
  Verdict verdict;
  FaceFinding face;                      // of the campaign that this run belongs to
  std::vector<std::string> acquisition;  // dataset names
  std::vector<std::string> row_columns;  // paths of the datasets with `rows` rows: /acquisition and /timing
  std::vector<std::string> adaptation;   // group names
  std::vector<std::string> segments;     // dataset names; empty: the test was one segment
  bool begun_with_learnt = false;        // config/learnt: numbers that the compensation had learnt before
};

/// Reads a run file: plain open, then SWMR (a live or killed run). Throws DeviceError with the name and the actual type
/// of the file. Destroy the reader of a live run before opening the same file again after its end: within one process
/// HDF5 returns the old view.
class RunFileReader {
 public:
  explicit RunFileReader(const std::filesystem::path& file);
  ~RunFileReader();
  const RunFileInfo& info() const noexcept;
  /// Updates a live file: rows, and whether it is still being written.
  void refresh();
  std::string projectJson() const;
  /// "acquisition/gap_1"; NaN values are returned as NaN. Reads in slices of at most 1 MB.
  std::vector<double> read(const std::string& dataset, std::uint64_t first = 0, std::uint64_t count = UINT64_MAX) const;
  /// "/" is the root. Lists joined by ", ", numbers as text; "" if there is none.
  std::string attribute(const std::string& object, const std::string& name) const;
  std::vector<RecordedEvent> events() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Repairs the file of a killed run: all channels to one length, complete 0, valid 0, an event, marked as recovered.
/// From a truncated file, live or closed, it keeps the complete rows. Works on a copy (`output`, or a temporary file in
/// the same folder that replaces it when verified; the original is kept as "<name>.killed.h5"). A complete run file is
/// not changed: needed is false. Throws DeviceError.
struct RecoverReport {
  bool needed = true;
  std::uint64_t rows = 0, dropped = 0;  // kept; incomplete or lost after them, if the file still contains their number
  std::filesystem::path file, original;
};
RecoverReport recover(const std::filesystem::path& file, const std::filesystem::path& output = {});

}  // namespace hyb
