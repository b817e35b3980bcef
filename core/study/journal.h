#pragma once
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "core/study/memory_run.h"

namespace hyb {

/// Contract with readers of study files: never renumber.
enum class RunStatus : std::uint8_t { pending = 0, done = 1, stopped = 2, failed = 3 };

/// Columns of a run in the journal's trace file, in sequence.
struct KeptTable {
  std::vector<Channel> channels;
  std::uint64_t at = 0, rows = 0;  // byte of their start; no rows: no table
  std::string sha256 = {};         // of these bytes
  std::uint64_t bytes() const noexcept { return rows * channels.size() * sizeof(double); }
};

/// Data of one run in a study.
struct StudyRun {
  RunStatus status = RunStatus::pending;
  bool complete = false, valid = false;
  std::uint64_t seed = 0;       // of its noise
  std::string message;          // how it ended, or why it was not run
  std::vector<double> figures;  // one per column; empty: the run has none
  KeptTable trace, segments;    // every channel, if required; one row for each trial, frequency or point of a path
};

/// The finished runs of an incomplete study: "<file>.part", one JSON line per run, and "<file>.traces", raw
/// little-endian doubles. If the program is killed, at most the runs since the last add() are lost. One process at a
/// time. Every line ends with its checksum, which includes the study, and contains those of its tables: a run with a
/// changed bit is pending again, and its line is blanked. Every member throws DeviceError with the file name.
class StudyJournal {
 public:
  static std::filesystem::path part(const std::filesystem::path& file) { return file.string() + ".part"; }
  static std::filesystem::path traces(const std::filesystem::path& file) { return file.string() + ".traces"; }

  /// Starts a journal or resumes the existing one; incomplete data after a kill are removed. Throws InputError if it
  /// belongs to another study.
  StudyJournal(const std::filesystem::path& file, const std::string& identity, std::size_t runs, std::size_t figures);
  StudyJournal(const StudyJournal&) = delete;
  StudyJournal& operator=(const StudyJournal&) = delete;
  ~StudyJournal();

  const std::vector<StudyRun>& runs() const noexcept { return runs_; }
  const std::string& startedAt() const noexcept { return started_at_; }
  std::size_t finished() const noexcept { return finished_; }
  /// Damaged lines of the resumed journal, including their tables: runs to repeat.
  std::size_t damaged() const noexcept { return damaged_; }
  /// Appends finished runs and waits until they are on the disk.
  struct Entry {
    std::size_t index;
    StudyRun run;
    Table trace, segments;
  };
  void add(std::vector<Entry> entries);
  /// The whole study is stored elsewhere: removes both files.
  void remove();

 private:
  void readLines(const std::string& text);
  bool takeHeader(std::string_view line);
  bool takeRun(std::string_view line, std::uint64_t traces_there, std::ifstream& tables);
  std::string header() const;
  void startNew();
  void writeAt(std::uint64_t at, std::string_view bytes);
  void append(int descriptor, const std::filesystem::path& file, const void* data, std::size_t bytes);

  std::filesystem::path file_;
  std::string identity_, started_at_;
  std::size_t figures_, finished_ = 0, damaged_ = 0;
  std::vector<StudyRun> runs_;
  int lines_ = -1, traces_ = -1;
  std::uint64_t kept_bytes_ = 0, trace_bytes_ = 0;
};

/// Result of the checksums of a journal, without its study. `file`: "<file>.part". Throws DeviceError if it is not a
/// journal.
struct JournalCheck {
  std::size_t runs = 0, finished = 0, damaged = 0;  // of the study; valid; damaged or truncated lines
};
JournalCheck checkJournal(const std::filesystem::path& part);
/// True if a file begins like a journal.
bool isJournal(const std::filesystem::path& file);

/// Refuses early: throws DeviceError if `file` exists without a journal.
void requireNewStudy(const std::filesystem::path& file);

/// Local time, ISO 8601 with zone.
std::string isoTime();

}  // namespace hyb
