#include "core/study/journal_tools.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/base/file_bytes.h"
#include "core/base/json.h"

namespace hyb {
namespace {

namespace fs = std::filesystem;

const char* statusWord(RunStatus status) {
  constexpr const char* kWords[] = {"pending", "done", "stopped", "failed"};
  return kWords[static_cast<std::size_t>(status)];
}

/// Names in the order in which the studies have them.
std::vector<std::string> allNames(const JournalContent& content, std::vector<std::string> JournalStudy::*names) {
  std::vector<std::string> all;
  for (const JournalStudy& study : content.studies)
    for (const std::string& name : study.*names)
      if (std::ranges::find(all, name) == all.end()) all.push_back(name);
  return all;
}

/// The cells of these columns; `own`: names of the texts of a run.
void appendCells(std::vector<std::string>& row, const std::vector<std::string>& columns,
                 const std::vector<std::string>& own, const std::vector<std::string>& texts) {
  for (const std::string& column : columns) {
    const auto place = static_cast<std::size_t>(std::ranges::find(own, column) - own.begin());
    row.push_back(place < own.size() && place < texts.size() ? texts[place] : "");
  }
}

/// Shortest text that converts back to the same bits; "" for no value.
std::string exactText(double value) { return std::isfinite(value) ? Json(value).dump() : ""; }

std::string csvCell(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

bool sameNumber(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

bool sameResult(const StudyRun& a, const StudyRun& b) {
  return a.status == b.status && a.complete == b.complete && a.valid == b.valid && a.seed == b.seed &&
         a.message == b.message && std::ranges::equal(a.figures, b.figures, sameNumber) &&
         a.trace.sha256 == b.trace.sha256 && a.segments.sha256 == b.segments.sha256;
}

/// "0.12 and 0.13 in figure gap_rms_1", of the first that differs.
std::string difference(const JournalStudy* study, const StudyRun& a, const StudyRun& b) {
  if (a.status != b.status) return std::string(statusWord(a.status)) + " and " + statusWord(b.status);
  for (std::size_t f = 0; f < std::min(a.figures.size(), b.figures.size()); ++f)
    if (!sameNumber(a.figures[f], b.figures[f]))
      return exactText(a.figures[f]) + " and " + exactText(b.figures[f]) + " in figure " +
             (study != nullptr && f < study->figures.size() ? study->figures[f] : std::to_string(f + 1));
  return "other messages, traces or flags";
}

}  // namespace

JournalCheck checkJournal(const fs::path& journal) {
  try {
    const JournalContent content = readJournal(journal);
    JournalCheck check;
    for (const JournalStudy& study : content.studies) check.runs += study.runs;
    check.finished = content.runs.size();
    check.damaged = content.damaged;
    return check;
  } catch (const InputError& error) {
    throw DeviceError(error.what());
  }
}

std::vector<std::vector<std::string>> journalRows(const JournalContent& content) {
  const std::vector<std::string> settings = allNames(content, &JournalStudy::settings),
                                 figures = allNames(content, &JournalStudy::figures);
  std::vector<std::string> head{"study", "run", "status", "complete", "valid", "seed"};
  head.insert(head.end(), settings.begin(), settings.end());
  head.insert(head.end(), figures.begin(), figures.end());
  head.insert(head.end(), {"message", "key"});
  std::vector<std::vector<std::string>> rows{std::move(head)};
  for (const JournalRun& entry : content.runs) {
    const StudyRun& run = entry.run;
    std::vector<std::string> row{
        entry.study,           std::to_string(entry.index), statusWord(run.status), run.complete ? "1" : "0",
        run.valid ? "1" : "0", std::to_string(run.seed)};
    const JournalStudy* study = content.study(entry.study);
    const JournalStudy unnamed;
    if (study == nullptr) study = &unnamed;
    std::vector<std::string> numbers;
    for (const double figure : run.figures) numbers.push_back(exactText(figure));
    appendCells(row, settings, study->settings, entry.values);
    appendCells(row, figures, study->figures, numbers);
    row.insert(row.end(), {run.message, entry.key});
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string journalCsv(const JournalContent& content) {
  std::string text;
  for (const std::vector<std::string>& row : journalRows(content)) {
    for (std::size_t c = 0; c < row.size(); ++c) text += (c > 0 ? "," : "") + csvCell(row[c]);
    text += "\n";
  }
  return text;
}

namespace {

/// Journals on their way into one.
class Merger {
 public:
  explicit Merger(const fs::path& to) : to_(to) {}

  void take(const fs::path& journal) {
    JournalContent content = readJournal(journal);
    if (content.version == 2)
      throw InputError(journal.string(), "is of journal version 2, whose runs have no keys; resume its study first.");
    report_.damaged += content.damaged;
    for (const JournalStudy& study : content.studies)
      if (all_.study(study.id) == nullptr) all_.studies.push_back(study);
    std::ifstream tables(tracesOf(journal), std::ios::binary);
    for (JournalRun& entry : content.runs)
      if (isNew(journal, entry)) {
        copy(entry.run.trace, tables);
        copy(entry.run.segments, tables);
        places_.emplace(entry.key.empty() ? entry.study + std::to_string(entry.index) : entry.key, all_.runs.size());
        all_.runs.push_back(std::move(entry));
      }
  }

  MergeReport finish() {
    if (traces_.is_open()) {
      traces_.close();
      if (!traces_) throw DeviceError(tracesOf(to_).string() + ": cannot be written; is the disk full?");
      syncFile(tracesOf(to_));  // a line may be written only after its tables
    }
    std::string lines = journalHeader();
    for (const JournalStudy& study : all_.studies) lines += lineOf(study);
    for (const JournalRun& entry : all_.runs) lines += lineOf(entry);
    writeWhole(to_, lines);
    report_.runs = all_.runs.size();
    return std::move(report_);
  }

 private:
  static void syncFile(const fs::path& file) {
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
    const bool synced = descriptor >= 0 && fsync(descriptor) == 0;
    if (descriptor >= 0) close(descriptor);
    if (!synced) throw DeviceError(file.string() + ": cannot be written; is the disk full?");
  }

  /// False: the run is there already. Another result of it is a conflict.
  bool isNew(const fs::path& journal, const JournalRun& entry) {
    const auto known = places_.find(entry.key.empty() ? entry.study + std::to_string(entry.index) : entry.key);
    if (known == places_.end()) return true;
    const JournalRun& first = all_.runs[known->second];
    if (sameResult(first.run, entry.run))
      ++report_.same;
    else
      report_.conflicts.push_back("run " + std::to_string(entry.index) + " of study " + entry.study + " in " +
                                  journal.string() + ": " + difference(all_.study(first.study), first.run, entry.run) +
                                  "; the first is kept");
    return false;
  }

  /// A table whose checksum is known to match.
  void copy(KeptTable& table, std::ifstream& from) {
    if (table.rows == 0) return;
    if (!traces_.is_open()) traces_.open(tracesOf(to_), std::ios::binary);
    from.clear();
    from.seekg(static_cast<std::streamoff>(table.at));
    std::vector<char> slice(std::min<std::uint64_t>(table.bytes(), 1u << 20));
    for (std::uint64_t left = table.bytes(); left > 0;) {
      const std::uint64_t count = std::min<std::uint64_t>(left, slice.size());
      if (!from.read(slice.data(), static_cast<std::streamsize>(count)))
        throw DeviceError("the traces of a journal cannot be read");
      traces_.write(slice.data(), static_cast<std::streamsize>(count));
      left -= count;
    }
    table.at = end_;
    end_ += table.bytes();
  }

  fs::path to_;
  MergeReport report_;
  JournalContent all_;
  std::map<std::string, std::size_t> places_;  // in all_.runs, by key
  std::uint64_t end_ = 0;
  std::ofstream traces_;
};

}  // namespace

MergeReport mergeJournals(const std::vector<fs::path>& from, const fs::path& to) {
  std::error_code ignored;
  for (const fs::path& made : {to, tracesOf(to)})
    if (fs::exists(made, ignored))
      throw DeviceError(made.string() + ": exists already and is not overwritten; choose another name with -o");
  try {
    Merger merger(to);
    for (const fs::path& journal : from) merger.take(journal);
    return merger.finish();
  } catch (...) {
    fs::remove(tracesOf(to), ignored);
    throw;
  }
}

}  // namespace hyb
