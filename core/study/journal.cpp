#include "core/study/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "core/base/error.h"
#include "core/base/file_bytes.h"
#include "core/base/sha256.h"
#include "core/base/version.h"
#include "core/record/held_file.h"

namespace hyb {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& file, const std::string& what) {
  const int why = errno;
  throw DeviceError(file.string() + ": " + what + ": " + std::strerror(why) +
                    "; finished runs are kept; correct this and repeat the command");
}

int openFile(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0)
    throw DeviceError(file.string() + ": cannot be created: " + std::strerror(errno) +
                      "; choose an existing folder with write permission");
  return descriptor;
}

}  // namespace

void requireNewStudy(const fs::path& file) {
  std::error_code ignored;
  if (fs::exists(file, ignored) && !fs::exists(StudyJournal::part(file), ignored))
    throw DeviceError(file.string() + ": exists already and is not overwritten; choose another name or move the file");
}

std::string isoTime() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S%z", &local);
  std::string zoned = text.data();
  zoned.insert(zoned.size() - 2, ":");  // +0100 -> +01:00
  return zoned;
}

StudyJournal::StudyJournal(const fs::path& journal, JournalOwner owner, JournalUse use)
    : journal_(journal), owner_(std::move(owner)), use_(use), runs_(owner_.runs) {
  own_ = {studyId(owner_.identity), owner_.runs,   owner_.title, programVersion(), isoTime(),
          owner_.settings,          owner_.figures};
  try {
    open();
    takeUp(readJournal(journal_));
    traces_ = openFile(traces());
    // Data after the last line belong to a run that will be repeated.
    if (ftruncate(traces_, static_cast<off_t>(trace_bytes_)) != 0) refuse(traces(), "cannot be truncated");
    lseek(traces_, 0, SEEK_END);
  } catch (...) {
    if (lines_ >= 0) close(lines_);
    if (traces_ >= 0) close(traces_);
    throw;
  }
}

StudyJournal::~StudyJournal() {
  close(lines_);
  close(traces_);
}

void StudyJournal::open() {
  lines_ = openFile(journal_);
  if (flock(lines_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw DeviceError(journal_.string() + ": this journal is already in use by a running study; wait for its end");
}

/// Runs of this study and of others; the file then holds sound lines only, and the line of this study.
void StudyJournal::takeUp(JournalContent content) {
  const JournalStudy* known = content.study(own_.id);
  if (known != nullptr && !known->started_at.empty()) own_.started_at = known->started_at;
  std::string lines = journalHeader();
  bool named = false;  // the study has its line
  for (const JournalStudy& study : content.studies) {
    const bool own = study.id == own_.id;
    named = named || own;
    lines += lineOf(own ? own_ : study);
  }
  if (!named) lines += lineOf(own_);
  bool ours = named;
  damaged_ = content.damaged;
  trace_bytes_ = content.trace_bytes;
  for (JournalRun& entry : content.runs) {
    StudyRun& run = entry.run;
    if (entry.study != own_.id) {
      others_ = true;
      lines += lineOf(entry);
      // A project that could not be run may be one now.
      if (!entry.key.empty() && run.status != RunStatus::failed) shared_.try_emplace(entry.key, std::move(run));
      continue;
    }
    ours = true;
    if (entry.index >= runs_.size() || (!run.figures.empty() && run.figures.size() != owner_.figures.size())) {
      ++damaged_;
      continue;
    }
    lines += lineOf(entry);
    if (runs_[entry.index].status == RunStatus::pending) ++finished_;
    runs_[entry.index] = std::move(run);
  }
  if (use_ == JournalUse::own && !ours) refuseOthers(content);
  const bool sound = content.version == kJournalVersion && damaged_ == 0;
  if (!sound) {
    writeWhole(journal_, lines);  // the old file or the new one, never a part
    close(std::exchange(lines_, -1));
    open();
  }
  line_bytes_ = static_cast<std::uint64_t>(lseek(lines_, 0, SEEK_END));
  if (sound && !named) append(lines_, line_bytes_, journal_, lineOf(own_));
}

/// Of a journal without this study.
void StudyJournal::refuseOthers(const JournalContent& content) const {
  if (content.studies.empty() && content.runs.empty()) return;
  const std::string by = content.studies.empty() ? "" : content.studies.front().software_version;
  throw InputError(journal_.string(),
                   "contains the finished runs of another study, project or version of this program" +
                       (by.empty() || by == programVersion() ? "" : " (" + by + ")") +
                       "; give another file with -o, or remove this one to start again. To use the runs that both "
                       "studies have, name this journal with --journal.");
}

std::size_t StudyJournal::share(std::size_t first, std::size_t last) {
  std::size_t count = 0;
  if (shared_.empty() || !owner_.key) return count;
  for (std::size_t r = first; r < last; ++r) {
    if (runs_[r].status != RunStatus::pending) continue;
    const auto found = shared_.find(owner_.key(r));
    if (found == shared_.end()) continue;
    runs_[r] = found->second;
    ++finished_;
    ++count;
  }
  return count;
}

/// After a failure (a full disk) the file ends as before.
void StudyJournal::append(int descriptor, std::uint64_t& end, const fs::path& file, std::string_view bytes) {
  for (std::string_view left = bytes; !left.empty();) {
    const ssize_t written = write(descriptor, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int why = errno;
      if (ftruncate(descriptor, static_cast<off_t>(end)) == 0) lseek(descriptor, 0, SEEK_END);
      errno = why;
      refuse(file, "cannot be written");
    }
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  end += bytes.size();
}

void StudyJournal::add(std::vector<Entry> entries) {
  if (entries.empty()) return;
  std::string lines;
  const std::uint64_t traces_before = trace_bytes_;
  for (Entry& entry : entries) {
    for (const auto& [given, kept] :
         {std::pair{&entry.trace, &entry.run.trace}, std::pair{&entry.segments, &entry.run.segments}}) {
      if (given->rows == 0) continue;
      Sha256 sha;
      const std::uint64_t at = trace_bytes_;
      for (std::size_t c = 0; c < given->channels.size(); ++c) {
        const std::vector<double> values = given->column(c);
        sha.update(values.data(), values.size() * sizeof(double));
        append(traces_, trace_bytes_, traces(),
               {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)});
      }
      *kept = {given->channels, at, given->rows, sha.hex()};
    }
    JournalRun line{own_.id, entry.index, std::move(entry.key), {}, entry.run};
    if (line.key.empty() && owner_.key) line.key = owner_.key(entry.index);
    if (owner_.values) line.values = owner_.values(entry.index);
    lines += lineOf(line);
  }
  // A line may be written only after its tables.
  if (trace_bytes_ > traces_before && fdatasync(traces_) != 0) refuse(traces(), "cannot be written");
  append(lines_, line_bytes_, journal_, lines);
  if (fdatasync(lines_) != 0) refuse(journal_, "cannot be written");
  for (Entry& entry : entries) {
    if (runs_[entry.index].status == RunStatus::pending) ++finished_;
    runs_[entry.index] = std::move(entry.run);
  }
}

void StudyJournal::remove() {
  if (others_) return;
  std::error_code ignored;
  fs::remove(traces(), ignored);
  fs::remove(journal_, ignored);
}

}  // namespace hyb
