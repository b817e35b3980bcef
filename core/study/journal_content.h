#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json_fwd.h"
#include "core/data/table.h"

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

/// A study that has runs in a journal.
struct JournalStudy {
  std::string id;  // begins the SHA-256 of Study::identity()
  std::size_t runs = 0;
  std::string title, software_version, started_at;
  std::vector<std::string> settings = {}, figures = {};  // names of the columns
};

/// A finished run in a journal.
struct JournalRun {
  std::string study;  // id
  std::size_t index = 0;
  std::string key;                       // RunKeys; empty: of an older journal
  std::vector<std::string> values = {};  // of the settings, as JSON
  StudyRun run = {};
};

/// What is sound in a journal.
struct JournalContent {
  int version = 0;  // 0: the file is empty, or its writer was killed in the first line
  std::vector<JournalStudy> studies;
  std::vector<JournalRun> runs;   // a run that stands twice: the later one
  std::size_t damaged = 0;        // lines, with their tables; the last one may be cut short
  std::uint64_t trace_bytes = 0;  // end of the last table in the trace file
  const JournalStudy* study(const std::string& id) const;
};

/// Version of the journals that are written.
inline constexpr int kJournalVersion = 3;  // 1 had no checksums, 2 no keys

/// Trace file of a journal: "s.h5.traces" for "s.h5.part".
std::filesystem::path tracesOf(const std::filesystem::path& journal);
/// Reads a journal and checks every line and table. Throws DeviceError if it cannot be read, InputError if it is no
/// journal, or of a version that cannot be read.
JournalContent readJournal(const std::filesystem::path& journal);
/// True if a file begins like a journal.
bool isJournal(const std::filesystem::path& file);
/// Start of the SHA-256 of a study's identity.
std::string studyId(const std::string& identity);

/// Lines of a journal, with their checksum and end.
std::string journalHeader();
std::string lineOf(const JournalStudy& study);
std::string lineOf(const JournalRun& run);

}  // namespace hyb
