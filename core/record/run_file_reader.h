#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/loop/realtime.h"
#include "core/record/verdict.h"

namespace hyb {

struct RunFileInfo {
  std::string title, operator_name, started_at, software_version, host, kernel, uuid, realtime, stop_reason;
  Realtime pace = Realtime::unknown;  // what `realtime` says in words
  double rate_hz = 0.0;
  bool complete = false, valid = false, recovered = false;
  bool live = false;           // opened for SWMR reading: the run goes on or was killed
  bool writing = false;        // and a living process still writes it
  bool event_numbers = false;  // events carry index and value; files of older programs have words alone
  std::uint64_t rows = 0, rows_lost = 0;
  /// As the program that recorded it judged it; test unknown, with the reason, where it could not.
  Verdict verdict;
  FaceFinding face;                      // of a campaign that this run was a test of
  std::vector<std::string> acquisition;  // dataset names
  std::vector<std::string> row_columns;  // paths of the datasets that all have `rows`: /acquisition and /timing
  std::vector<std::string> adaptation;   // group names
  std::vector<std::string> segments;     // dataset names; none: the test was one segment
  bool begun_with_learnt = false;        // config/learnt: what the compensation had learnt before
};
struct RecordedEvent {
  std::uint64_t tick;
  int code;
  int severity;
  std::string message;
  int index = -1;  // Event::index and value; only with RunFileInfo::event_numbers
  double value = 0.0;
};

/// Reads a run file: plain open, then SWMR (a live or killed run). Throws DeviceError naming the file and what it is
/// instead. Destroy the reader of a live run before opening the same file anew after its end: within one process HDF5
/// hands out the old view.
class RunFileReader {
 public:
  explicit RunFileReader(const std::filesystem::path& file);
  ~RunFileReader();
  const RunFileInfo& info() const noexcept;
  /// Looks again at a live file: rows and whether it is still being written.
  void refresh();
  std::string projectJson() const;
  /// "acquisition/gap_1"; NaN-filled holes stay NaN. Reads in slices of at most 1 MB.
  std::vector<double> read(const std::string& dataset, std::uint64_t first = 0, std::uint64_t count = UINT64_MAX) const;
  /// "/" is the root. Lists joined by ", ", numbers as text; "" if there is none.
  std::string attribute(const std::string& object, const std::string& name) const;
  std::vector<RecordedEvent> events() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Makes the file of a killed run whole: all channels to one length, complete 0, valid 0, an event, marked as
/// recovered. Of a file that was cut off, live or closed, it keeps the rows that are whole. Works on a copy (`output`,
/// or a temporary beside the file that replaces it when verified; the original is kept as "<name>.killed.h5"). A run
/// file that is whole is left alone: nothing is written, needed is false. Throws DeviceError.
struct RecoverReport {
  bool needed = true;
  std::uint64_t rows = 0, dropped = 0;  // kept; incomplete or lost beyond them, as far as the file still says
  std::filesystem::path file, original;
};
RecoverReport recover(const std::filesystem::path& file, const std::filesystem::path& output = {});

}  // namespace hyb
