#include "core/study/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <utility>

#include "core/numbers.h"
#include "core/record/held_file.h"
#include "core/sha256.h"

namespace hyb {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormat = "hybridbench-study-journal";

[[noreturn]] void refuse(const fs::path& file, const std::string& what) {
  const int why = errno;
  throw DeviceError(file.string() + ": " + what + ": " + std::strerror(why) +
                    "; finished runs are kept, give the same command again once this is mended");
}

int openFile(const fs::path& file) {
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0)
    throw DeviceError(file.string() + ": cannot be created: " + std::strerror(errno) +
                      "; choose a folder that exists and can be written");
  return descriptor;
}

std::string digest(const std::string& text) {
  Sha256 sha;
  sha.update(text.data(), text.size());
  return sha.hex();
}

/// What is kept of a run in the trace file, by its key in the run's line.
template <typename Run>
auto tablesOf(Run& run) {
  return std::array{std::pair{"trace", &run.trace}, std::pair{"segments", &run.segments}};
}

std::string lineOf(std::size_t index, const StudyRun& run) {
  Json line = {{"run", index},
               {"status", static_cast<int>(run.status)},
               {"complete", run.complete},
               {"valid", run.valid},
               {"seed", run.seed},
               {"message", run.message},
               {"figures", run.figures}};  // shortest text that reads back to the same bits; NaN as null
  for (const auto& [key, table] : tablesOf(run)) {
    if (table->rows == 0) continue;
    Json channels = Json::array();
    for (const Channel& c : table->channels) channels.push_back({c.name, c.units, c.description});
    line[key] = {{"at", table->at}, {"rows", table->rows}, {"channels", channels}};
  }
  return line.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

/// Throws Json::exception where the line is not what lineOf() writes.
StudyRun runOf(const Json& line) {
  StudyRun run;
  const int status = line.at("status").get<int>();
  if (status < 1 || status > 3) return run;
  run.status = static_cast<RunStatus>(status);
  run.complete = line.at("complete").get<bool>();
  run.valid = line.at("valid").get<bool>();
  run.seed = line.value("seed", std::uint64_t{0});
  run.message = line.at("message").get<std::string>();
  for (const Json& value : line.at("figures")) run.figures.push_back(value.is_number() ? value.get<double>() : kNone);
  for (const auto& [key, table] : tablesOf(run)) {
    const auto kept = line.find(key);
    if (kept == line.end()) continue;
    table->at = kept->at("at").get<std::uint64_t>();
    table->rows = kept->at("rows").get<std::uint64_t>();
    for (const Json& c : kept->at("channels"))
      table->channels.push_back(
          {c.at(0).get<std::string>(), c.at(1).get<std::string>(), c.at(2).get<std::string>(), 0});
  }
  return run;
}

/// A table that a line announces lies within a file of that many bytes.
bool fits(const KeptTable& table, std::uint64_t bytes) {
  if (table.rows == 0) return true;
  const std::uint64_t row = table.channels.size() * sizeof(double);
  return row > 0 && table.at <= bytes && table.rows <= (bytes - table.at) / row;
}

}  // namespace

void requireNewStudy(const fs::path& file) {
  std::error_code ignored;
  if (fs::exists(file, ignored) && !fs::exists(StudyJournal::part(file), ignored))
    throw DeviceError(file.string() + ": exists already and is not overwritten; choose another name or move it away");
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

StudyJournal::StudyJournal(const fs::path& file, const std::string& identity, std::size_t runs, std::size_t figures)
    : file_(file), identity_(digest(identity)), figures_(figures), runs_(runs) {
  try {
    lines_ = openFile(part(file));
    if (flock(lines_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
      throw DeviceError(file.string() + ": this study is running already, in another program");
    std::ostringstream text;
    text << std::ifstream(part(file), std::ios::binary).rdbuf();
    readLines(text.str());
    traces_ = openFile(traces(file));
    if (kept_bytes_ == 0) startNew();
    // What came after the last whole line belongs to a run that will be done again.
    if (ftruncate(lines_, static_cast<off_t>(kept_bytes_)) != 0) refuse(part(file), "cannot be cut to its whole lines");
    if (ftruncate(traces_, static_cast<off_t>(trace_bytes_)) != 0) refuse(traces(file), "cannot be cut");
    lseek(lines_, 0, SEEK_END);
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

void StudyJournal::readLines(const std::string& text) {
  std::error_code missing;
  const auto size = fs::file_size(traces(file_), missing);
  const std::uint64_t traces_there = missing ? 0 : size;
  bool first = true;
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    const Json line = Json::parse(text.begin() + static_cast<std::ptrdiff_t>(at),
                                  text.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
    try {
      if (first) {
        if (line.is_discarded() || line.at("format") != kFormat || line.at("study") != identity_ ||
            line.at("runs") != runs_.size())
          throw InputError(part(file_).string(),
                           "holds the finished runs of another study, project or version of this program; give "
                           "another file with -o, or remove this one to begin anew.");
        started_at_ = line.at("started_at").get<std::string>();
        first = false;
      } else {
        if (line.is_discarded()) return;
        const auto index = line.at("run").get<std::size_t>();
        StudyRun run = runOf(line);
        const bool whole = run.status != RunStatus::pending && index < runs_.size() &&
                           (run.figures.empty() || run.figures.size() == figures_) && fits(run.trace, traces_there) &&
                           fits(run.segments, traces_there);
        if (!whole) return;
        for (const auto& [key, table] : tablesOf(run))
          if (table->rows > 0) trace_bytes_ = std::max(trace_bytes_, table->at + table->bytes());
        if (runs_[index].status == RunStatus::pending) ++finished_;
        runs_[index] = std::move(run);
      }
    } catch (const Json::exception&) {
      if (first) throw InputError(part(file_).string(), "is no journal of a study; give another file with -o.");
      return;
    }
    kept_bytes_ = end + 1;
  }
  if (first && !text.empty() && !text.starts_with(std::string("{\"format\":\"") + kFormat))
    throw InputError(part(file_).string(), "is no journal of a study; give another file with -o.");
}

void StudyJournal::startNew() {
  if (ftruncate(lines_, 0) != 0) refuse(part(file_), "cannot be written");
  started_at_ = isoTime();
  const std::string line = Json{{"format", kFormat},
                                {"version", 1},
                                {"study", identity_},
                                {"runs", runs_.size()},
                                {"started_at", started_at_}}
                               .dump() +
                           "\n";
  lseek(lines_, 0, SEEK_SET);
  append(lines_, part(file_), line.data(), line.size());
  h5::syncFolderOf(part(file_));  // the lines to come count only with the name
  kept_bytes_ = line.size();
}

void StudyJournal::append(int descriptor, const fs::path& file, const void* data, std::size_t bytes) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = write(descriptor, at, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse(file, "cannot be written");
    at += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void StudyJournal::add(std::vector<Entry> entries) {
  if (entries.empty()) return;
  std::string lines;
  const std::uint64_t traces_before = trace_bytes_;
  for (Entry& entry : entries) {
    for (const auto& [given, kept] :
         {std::pair{&entry.trace, &entry.run.trace}, std::pair{&entry.segments, &entry.run.segments}}) {
      if (given->rows == 0) continue;
      *kept = {std::move(given->channels), trace_bytes_, given->rows};
      append(traces_, traces(file_), given->values.data(), given->values.size() * sizeof(double));
      trace_bytes_ += kept->bytes();
    }
    lines += lineOf(entry.index, entry.run);
  }
  // A line may only stand there once its tables do.
  if (trace_bytes_ > traces_before && fdatasync(traces_) != 0) refuse(traces(file_), "cannot be written");
  append(lines_, part(file_), lines.data(), lines.size());
  if (fdatasync(lines_) != 0) refuse(part(file_), "cannot be written");
  for (Entry& entry : entries) {
    if (runs_[entry.index].status == RunStatus::pending) ++finished_;
    runs_[entry.index] = std::move(entry.run);
  }
}

void StudyJournal::remove() {
  std::error_code ignored;
  fs::remove(traces(file_), ignored);
  fs::remove(part(file_), ignored);
}

}  // namespace hyb
