#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/study/journal_content.h"

namespace hyb {

/// The study that keeps its runs in a journal.
struct JournalOwner {
  std::string identity;  // Study::identity()
  std::size_t runs = 0;
  std::string title = {};
  std::vector<std::string> settings = {}, figures = {};  // names of the columns
  /// Of a run whose values are known: RunKeys, and its values as JSON.
  std::function<std::string(std::size_t)> key = {};
  std::function<std::vector<std::string>(std::size_t)> values = {};
};

/// Own: of one study, another one is refused. Shared: of several studies, which take runs from each other.
enum class JournalUse { own, shared };

/// The finished runs of studies: one JSON line per run, and raw little-endian doubles beside it (tracesOf()). If the
/// program is killed, at most the runs since the last add() are lost. One process at a time. Every line ends with its
/// checksum and contains those of its tables: a run with a changed bit is pending again. Why these files:
/// core/campaign/README.md. Every member throws DeviceError with the file name.
class StudyJournal {
 public:
  /// Of a study that has no other: "<file>.part".
  static std::filesystem::path part(const std::filesystem::path& file) { return file.string() + ".part"; }

  /// Starts a journal or resumes the existing one; lines that are damaged, or incomplete after a kill, are removed. A
  /// journal of version 2 is rewritten. Throws InputError if it belongs to another study, or as readJournal().
  StudyJournal(const std::filesystem::path& journal, JournalOwner owner, JournalUse use = JournalUse::own);
  StudyJournal(const StudyJournal&) = delete;
  StudyJournal& operator=(const StudyJournal&) = delete;
  ~StudyJournal();

  const std::vector<StudyRun>& runs() const noexcept { return runs_; }
  const std::string& startedAt() const noexcept { return own_.started_at; }
  std::filesystem::path traces() const { return tracesOf(journal_); }
  std::size_t finished() const noexcept { return finished_; }
  /// Damaged lines of the resumed journal, including their tables: runs to repeat.
  std::size_t damaged() const noexcept { return damaged_; }
  /// Takes pending runs in [first, last) from other studies, by their keys. Returns their number.
  std::size_t share(std::size_t first, std::size_t last);
  /// Appends finished runs and waits until they are on the disk.
  struct Entry {
    std::size_t index;
    StudyRun run;
    Table trace, segments;
    std::string key = {};  // if it is known already
  };
  void add(std::vector<Entry> entries);
  /// The whole study is stored elsewhere: removes both files, unless they contain runs of other studies.
  void remove();

 private:
  void open();
  void takeUp(JournalContent content);
  void refuseOthers(const JournalContent& content) const;
  void append(int descriptor, std::uint64_t& end, const std::filesystem::path& file, std::string_view bytes);

  std::filesystem::path journal_;
  JournalOwner owner_;
  JournalUse use_;
  JournalStudy own_;
  std::size_t finished_ = 0, damaged_ = 0;
  bool others_ = false;  // contains runs of other studies
  std::vector<StudyRun> runs_;
  std::unordered_map<std::string, StudyRun> shared_;  // of other studies, by key
  int lines_ = -1, traces_ = -1;
  std::uint64_t line_bytes_ = 0, trace_bytes_ = 0;
};

/// Refuses early: throws DeviceError if `file` exists without a journal.
void requireNewStudy(const std::filesystem::path& file);

/// Local time, ISO 8601 with zone.
std::string isoTime();

}  // namespace hyb
