#include "core/study/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <optional>
#include <utility>

#include "core/base/file_bytes.h"
#include "core/base/numbers.h"
#include "core/base/sha256.h"
#include "core/record/held_file.h"

namespace hyb {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormat = "hybridbench-study-journal";
constexpr int kVersion = 2;  // 1 had no checksums
constexpr std::size_t kChecksumDigits = 16;

[[noreturn]] void refuse(const fs::path& file, const std::string& what) {
  const int why = errno;
  throw DeviceError(file.string() + ": " + what + ": " + std::strerror(why) +
                    "; finished runs are kept; correct this and repeat the command");
}

int openFile(const fs::path& file) {
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0)
    throw DeviceError(file.string() + ": cannot be created: " + std::strerror(errno) +
                      "; choose an existing folder with write permission");
  return descriptor;
}

std::string digest(const std::string& text) {
  Sha256 sha;
  sha.update(text.data(), text.size());
  return sha.hex();
}

/// The text, its checksum and the end of the line. `identity`: of the study, included in the checksum; empty for the
/// header, which contains it.
std::string checkedLine(const std::string& text, const std::string& identity) {
  return text + "\t" + digest(identity + text).substr(0, kChecksumDigits) + "\n";
}

/// Content of a line without its end; discarded if it is not an output of checkedLine().
Json contentOf(std::string_view line, const std::string& identity) {
  if (line.size() < kChecksumDigits + 1) return Json(Json::value_t::discarded);
  const std::string text(line.substr(0, line.size() - kChecksumDigits - 1));
  if (checkedLine(text, identity) != std::string(line) + "\n") return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

bool isBlank(std::string_view line) { return line.find_first_not_of(' ') == std::string_view::npos; }

/// Calls take(first byte, line without its end) for each complete line. Returns the end of the last one.
template <typename Take>
std::size_t eachLine(std::string_view text, Take&& take) {
  std::size_t at = 0;
  for (std::size_t end; (end = text.find('\n', at)) != std::string_view::npos; at = end + 1)
    take(at, text.substr(at, end - at));
  return at;
}

/// Tables of a run in the trace file, by their key in the run's line.
template <typename Run>
auto tablesOf(Run& run) {
  return std::array{std::pair{"trace", &run.trace}, std::pair{"segments", &run.segments}};
}

/// Without checksum and end.
std::string lineOf(std::size_t index, const StudyRun& run) {
  Json line = {{"run", index},
               {"status", static_cast<int>(run.status)},
               {"complete", run.complete},
               {"valid", run.valid},
               {"seed", run.seed},
               {"message", run.message},
               {"figures", run.figures}};  // shortest text that converts back to the same bits; NaN as null
  for (const auto& [key, table] : tablesOf(run)) {
    if (table->rows == 0) continue;
    Json channels = Json::array();
    for (const Channel& c : table->channels) channels.push_back({c.name, c.units, c.description});
    line[key] = {{"at", table->at}, {"rows", table->rows}, {"sha256", table->sha256}, {"channels", channels}};
  }
  return line.dump(-1, ' ', true, Json::error_handler_t::replace);
}

/// Throws Json::exception if the line is not an output of lineOf().
StudyRun runOf(const Json& line) {
  StudyRun run;
  const int status = line.at("status").get<int>();
  if (status < 1 || status > 3) return run;
  run.status = static_cast<RunStatus>(status);
  run.complete = line.at("complete").get<bool>();
  run.valid = line.at("valid").get<bool>();
  run.seed = line.value("seed", std::uint64_t{0});
  run.message = line.at("message").get<std::string>();
  for (const Json& value : line.at("figures"))
    run.figures.push_back(value.is_number() ? value.get<double>() : kNoValue);
  for (const auto& [key, table] : tablesOf(run)) {
    const auto kept = line.find(key);
    if (kept == line.end()) continue;
    table->at = kept->at("at").get<std::uint64_t>();
    table->rows = kept->at("rows").get<std::uint64_t>();
    table->sha256 = kept->at("sha256").get<std::string>();
    for (const Json& c : kept->at("channels"))
      table->channels.push_back(
          {c.at(0).get<std::string>(), c.at(1).get<std::string>(), c.at(2).get<std::string>(), 0});
  }
  return run;
}

/// True if a table listed in a line is within a file of this number of bytes.
bool fits(const KeptTable& table, std::uint64_t bytes) {
  if (table.rows == 0) return true;
  const std::uint64_t row = table.channels.size() * sizeof(double);
  return row > 0 && table.at <= bytes && table.rows <= (bytes - table.at) / row;
}

/// True if the bytes of a table match the checksum in its line.
bool unchanged(const KeptTable& table, std::ifstream& traces) {
  if (table.rows == 0) return true;
  std::vector<char> slice(std::min<std::uint64_t>(table.bytes(), 1u << 20));
  Sha256 sha;
  traces.clear();
  traces.seekg(static_cast<std::streamoff>(table.at));
  for (std::uint64_t left = table.bytes(); left > 0;) {
    const std::uint64_t count = std::min<std::uint64_t>(left, slice.size());
    if (!traces.read(slice.data(), static_cast<std::streamsize>(count))) return false;
    sha.update(slice.data(), count);
    left -= count;
  }
  return sha.hex() == table.sha256;
}

std::uint64_t sizeOf(const fs::path& file) {
  std::error_code missing;
  const auto size = fs::file_size(file, missing);
  return missing ? 0 : size;
}

}  // namespace

bool isJournal(const fs::path& file) {
  const std::string begin = std::string("{\"format\":\"") + kFormat;
  std::string text(begin.size(), '\0');
  std::ifstream(file, std::ios::binary).read(text.data(), static_cast<std::streamsize>(text.size()));
  return text == begin;
}

JournalCheck checkJournal(const fs::path& part) {
  const std::optional<std::string> text = bytesOf(part);
  if (!text) throw DeviceError(part.string() + ": cannot be read");
  fs::path traces = part;
  traces.replace_extension(".traces");
  std::ifstream tables(traces, std::ios::binary);
  const std::uint64_t traces_there = sizeOf(traces);
  JournalCheck check;
  std::string identity;
  std::vector<bool> finished;
  const std::size_t whole = eachLine(*text, [&](std::size_t at, std::string_view line) {
    if (isBlank(line)) return;
    try {
      if (at == 0) {
        const Json header = contentOf(line, {});
        if (header.is_discarded())
          throw DeviceError(part.string() +
                            ": its first line is damaged, or of an older program without checksums; only the study "
                            "can determine the valid runs: repeat its command");
        identity = header.at("study").get<std::string>();
        check.runs = header.at("runs").get<std::size_t>();
        finished.resize(check.runs);
        return;
      }
      const Json content = contentOf(line, identity);
      if (!content.is_discarded()) {
        const StudyRun run = runOf(content);
        bool sound = true;
        for (const auto& [key, table] : tablesOf(run))
          sound = sound && fits(*table, traces_there) && unchanged(*table, tables);
        if (sound) {
          finished.at(content.at("run").get<std::size_t>()) = true;
          return;
        }
      }
    } catch (const Json::exception&) {
    } catch (const std::out_of_range&) {
    }
    ++check.damaged;
  });
  if (whole < text->size()) ++check.damaged;
  check.finished = static_cast<std::size_t>(std::count(finished.begin(), finished.end(), true));
  return check;
}

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

StudyJournal::StudyJournal(const fs::path& file, const std::string& identity, std::size_t runs, std::size_t figures)
    : file_(file), identity_(digest(identity)), figures_(figures), runs_(runs) {
  try {
    lines_ = openFile(part(file));
    if (flock(lines_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
      throw DeviceError(file.string() + ": this study is already running in another program");
    const std::optional<std::string> text = bytesOf(part(file));
    if (!text) refuse(part(file), "cannot be read");
    readLines(*text);
    traces_ = openFile(traces(file));
    if (kept_bytes_ == 0) startNew();
    // Data after the last complete line belong to a run that will be repeated.
    if (ftruncate(lines_, static_cast<off_t>(kept_bytes_)) != 0)
      refuse(part(file), "cannot be truncated to its complete lines");
    if (ftruncate(traces_, static_cast<off_t>(trace_bytes_)) != 0) refuse(traces(file), "cannot be truncated");
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
  if (text.empty()) return;
  std::ifstream tables(traces(file_), std::ios::binary);
  const std::uint64_t traces_there = sizeOf(traces(file_));
  bool header_sound = false;
  std::size_t first_sound = 0;  // start of the first intact run
  std::vector<std::pair<std::size_t, std::size_t>> bad;
  kept_bytes_ = eachLine(text, [&](std::size_t at, std::string_view line) {
    if (at == 0) {
      header_sound = takeHeader(line);
    } else if (!isBlank(line)) {
      if (!takeRun(line, traces_there, tables))
        bad.emplace_back(at, line.size());
      else if (first_sound == 0)
        first_sound = at;
    }
  });
  damaged_ = bad.size() + (kept_bytes_ < text.size() ? 1 : 0);
  if (kept_bytes_ == 0 && isJournal(part(file_))) {  // killed while writing the first line
    damaged_ = 0;
    return;
  }
  if (!header_sound) {
    // Lines contain the identity of their study, so they remain valid, and the header is known except for the time.
    started_at_ = isoTime();
    const std::string line = header();
    if (first_sound < line.size())
      throw InputError(
          part(file_).string(),
          "is not a journal of a study, or its first line is damaged; give another file with -o, or remove "
          "this one to start again.");
    std::string start = line + std::string(first_sound - line.size(), ' ');
    start.back() = '\n';
    writeAt(0, start);
    ++damaged_;
  }
  for (const auto& [at, length] : bad)
    if (header_sound || at > first_sound) writeAt(at, std::string(length, ' '));
}

/// False: the line is damaged. Throws InputError if it belongs to another study.
bool StudyJournal::takeHeader(std::string_view line) {
  Json content = contentOf(line, {});
  const bool sound = !content.is_discarded();
  if (!sound) content = Json::parse(line, nullptr, false);  // of an older program, without a checksum
  if (!content.is_object() || content.value("format", Json()) != kFormat) return false;
  if (content.value("version", Json()) != kVersion || content.value("study", Json()) != identity_ ||
      content.value("runs", Json()) != runs_.size())
    throw InputError(part(file_).string(),
                     "contains the finished runs of another study, project or version of this program; give "
                     "another file with -o, or remove this one to start again.");
  started_at_ = content.value("started_at", std::string());
  return true;
}

/// False: the line or one of its tables is damaged.
bool StudyJournal::takeRun(std::string_view line, std::uint64_t traces_there, std::ifstream& tables) {
  const Json content = contentOf(line, identity_);
  if (content.is_discarded()) return false;
  try {
    const auto index = content.at("run").get<std::size_t>();
    StudyRun run = runOf(content);
    if (run.status == RunStatus::pending || index >= runs_.size() ||
        (!run.figures.empty() && run.figures.size() != figures_))
      return false;
    for (const auto& [key, table] : tablesOf(run))
      if (!fits(*table, traces_there) || !unchanged(*table, tables)) return false;
    for (const auto& [key, table] : tablesOf(run))
      if (table->rows > 0) trace_bytes_ = std::max(trace_bytes_, table->at + table->bytes());
    if (runs_[index].status == RunStatus::pending) ++finished_;
    runs_[index] = std::move(run);
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

std::string StudyJournal::header() const {
  return checkedLine(Json{{"format", kFormat},
                          {"version", kVersion},
                          {"study", identity_},
                          {"runs", runs_.size()},
                          {"started_at", started_at_}}
                         .dump(),
                     {});
}

void StudyJournal::startNew() {
  if (ftruncate(lines_, 0) != 0) refuse(part(file_), "cannot be written");
  started_at_ = isoTime();
  const std::string line = header();
  lseek(lines_, 0, SEEK_SET);
  append(lines_, part(file_), line.data(), line.size());
  h5::syncFolderOf(part(file_));  // the following lines count only with the name
  kept_bytes_ = line.size();
}

void StudyJournal::writeAt(std::uint64_t at, std::string_view bytes) {
  lseek(lines_, static_cast<off_t>(at), SEEK_SET);
  append(lines_, part(file_), bytes.data(), bytes.size());
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
      Sha256 sha;
      for (std::size_t c = 0; c < given->channels.size(); ++c) {
        const std::vector<double> values = given->column(c);
        sha.update(values.data(), values.size() * sizeof(double));
        append(traces_, traces(file_), values.data(), values.size() * sizeof(double));
      }
      *kept = {given->channels, trace_bytes_, given->rows, sha.hex()};
      trace_bytes_ += kept->bytes();
    }
    lines += checkedLine(lineOf(entry.index, entry.run), identity_);
  }
  // A line may be written only after its tables.
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
