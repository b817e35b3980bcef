#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/study/journal_content.h"

namespace hyb {

/// Result of the checksums of a journal, without its study. Throws DeviceError if it is not a journal.
struct JournalCheck {
  std::size_t runs = 0, finished = 0, damaged = 0;  // of its studies; valid; damaged or truncated lines
};
JournalCheck checkJournal(const std::filesystem::path& journal);

/// Rows of cells with a heading, of all studies of a journal: the settings and figures of a run stand in the columns of
/// their names, empty if it has none.
std::vector<std::vector<std::string>> journalRows(const JournalContent& content);
/// The same as comma-separated values (RFC 4180, lines end with "\n").
std::string journalCsv(const JournalContent& content);

struct MergeReport {
  std::size_t runs = 0;                // in the new journal
  std::size_t same = 0;                // in several journals, with equal results: kept once
  std::size_t damaged = 0;             // lines that were left out
  std::vector<std::string> conflicts;  // runs with one key and other results, of which the first is kept: sentences
};
/// Puts the runs of journals into a new one. Throws DeviceError if `to` exists or cannot be written, InputError if one
/// of them is not a journal or is of version 2, which has no keys.
MergeReport mergeJournals(const std::vector<std::filesystem::path>& from, const std::filesystem::path& to);

}  // namespace hyb
