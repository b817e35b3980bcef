#include "core/study/journal_content.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/file_bytes.h"
#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/base/sha256.h"
#include "core/base/version.h"

namespace hyb {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormat = "hybridbench-study-journal";
constexpr std::size_t kChecksumDigits = 16;

std::string digest(const std::string& text) {
  Sha256 sha;
  sha.update(text.data(), text.size());
  return sha.hex();
}

/// The text, its checksum and the end of the line. `salt`: included in the checksum; the study in version 2.
std::string checkedLine(const std::string& text, const std::string& salt = {}) {
  return text + "\t" + digest(salt + text).substr(0, kChecksumDigits) + "\n";
}

/// Content of a line without its end; discarded if it is not an output of checkedLine().
Json contentOf(std::string_view line, const std::string& salt) {
  if (line.size() < kChecksumDigits + 1) return Json(Json::value_t::discarded);
  const std::string text(line.substr(0, line.size() - kChecksumDigits - 1));
  if (checkedLine(text, salt) != std::string(line) + "\n") return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

std::string dumped(const Json& line) { return line.dump(-1, ' ', true, Json::error_handler_t::replace); }

/// Tables of a run in the trace file, by their key in the run's line.
template <typename Run>
auto tablesOf(Run& run) {
  return std::array{std::pair{"trace", &run.trace}, std::pair{"segments", &run.segments}};
}

/// Throws Json::exception if the line is not one of a run.
JournalRun runOf(const Json& line) {
  JournalRun entry;
  entry.index = line.at("run").get<std::size_t>();
  entry.study = line.value("study", std::string());
  entry.key = line.value("key", std::string());
  entry.values = line.value("values", std::vector<std::string>());
  StudyRun& run = entry.run;
  const int status = line.at("status").get<int>();
  if (status < 1 || status > 3) return entry;
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
  return entry;
}

/// Throws Json::exception if the line is not one of a study.
JournalStudy studyIn(const Json& line) {
  return {line.at("study").get<std::string>(),
          line.at("runs").get<std::size_t>(),
          line.value("title", std::string()),
          line.value("software_version", std::string()),
          line.value("started_at", std::string()),
          line.value("settings", std::vector<std::string>()),
          line.value("figures", std::vector<std::string>())};
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

std::string beginning() { return std::string("{\"format\":\"") + kFormat + "\""; }

/// Reads line by line.
class Reader {
 public:
  explicit Reader(const fs::path& journal)
      : journal_(journal), tables_(tracesOf(journal), std::ios::binary), traces_there_(sizeOf(tracesOf(journal))) {}

  JournalContent read(std::string_view text) {
    if (text.find('\n') == std::string_view::npos &&
        (text.starts_with(beginning()) || std::string_view(beginning()).starts_with(text)))
      return {};
    std::size_t at = 0;
    bool first = true;
    for (std::size_t end; (end = text.find('\n', at)) != std::string_view::npos; at = end + 1) {
      const std::string_view line = text.substr(at, end - at);
      if (std::exchange(first, false))
        header(line);
      else if (line.find_first_not_of(' ') != std::string_view::npos)  // blanked: damaged in an older journal
        content_.damaged += !take(line);
    }
    content_.damaged += at < text.size();
    if (content_.version == 0 && content_.studies.empty() && content_.runs.empty()) refuseWhole();
    if (content_.version == 0) content_.version = kJournalVersion;  // only version 3 can be read without it
    return std::move(content_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(journal_.string(), why + "; give another file with -o, or remove this one to start again.");
  }

  void header(std::string_view line) {
    Json content = contentOf(line, {});
    const bool sound = !content.is_discarded();
    // Versions without a checksum, or with another one, and damaged lines.
    if (!sound) content = Json::parse(line.substr(0, line.find('\t')), nullptr, false);
    if (content.is_object() && content.value("format", Json()) == kFormat && content.contains("version") &&
        content.at("version").is_number_integer())
      told_ = content.at("version").get<int>();
    if (!sound || told_ < 2 || told_ > kJournalVersion) {
      ++content_.damaged;
      return;
    }
    content_.version = told_;
    if (told_ == 2) startOld(content);
  }

  /// Of a journal in which nothing is sound.
  [[noreturn]] void refuseWhole() const {
    const std::string version = "(journal version " + std::to_string(told_) + ")";
    if (told_ > kJournalVersion)
      refuse("is of a newer version of this program " + version + "; continue it with that version");
    if (told_ == 1)
      refuse("is of an older version of this program " + version +
             ", whose runs have no checksums and cannot be trusted");
    refuse("is not a journal of a study, or its first line is damaged");
  }

  /// Version 2 belongs to one study, which its first line names and every checksum includes.
  void startOld(const Json& content) {
    salt_ = content.value("study", std::string());
    only_ = salt_.substr(0, kChecksumDigits);
    content_.studies.push_back(
        {only_, content.value("runs", std::size_t{0}), {}, {}, content.value("started_at", std::string())});
  }

  /// False: the line or one of its tables is damaged.
  bool take(std::string_view line) {
    const Json content = contentOf(line, salt_);
    if (content.is_discarded()) return false;
    try {
      if (!content.contains("run")) {
        JournalStudy study = studyIn(content);
        if (content_.study(study.id) == nullptr) content_.studies.push_back(std::move(study));
        return true;
      }
      JournalRun entry = runOf(content);
      if (!only_.empty()) entry.study = only_;
      if (entry.run.status == RunStatus::pending) return false;
      for (const auto& [key, table] : tablesOf(entry.run))
        if (!fits(*table, traces_there_) || !unchanged(*table, tables_)) return false;
      for (const auto& [key, table] : tablesOf(entry.run))
        if (table->rows > 0) content_.trace_bytes = std::max(content_.trace_bytes, table->at + table->bytes());
      const auto [place, added] = places_.try_emplace({entry.study, entry.index}, content_.runs.size());
      if (added)
        content_.runs.push_back(std::move(entry));
      else
        content_.runs[place->second] = std::move(entry);
      return true;
    } catch (const Json::exception&) {
      return false;
    }
  }

  fs::path journal_;
  std::ifstream tables_;
  std::uint64_t traces_there_;
  int told_ = 0;  // version in the first line, even if that is damaged
  std::string salt_, only_;
  JournalContent content_;
  std::map<std::pair<std::string, std::size_t>, std::size_t> places_;
};

}  // namespace

const JournalStudy* JournalContent::study(const std::string& id) const {
  const auto found = std::ranges::find(studies, id, &JournalStudy::id);
  return found == studies.end() ? nullptr : &*found;
}

fs::path tracesOf(const fs::path& journal) {
  fs::path traces = journal;
  if (traces.extension() == ".part") return traces.replace_extension(".traces");
  return traces += ".traces";
}

JournalContent readJournal(const fs::path& journal) {
  const std::optional<std::string> text = bytesOf(journal);
  if (!text) throw DeviceError(journal.string() + ": cannot be read");
  return Reader(journal).read(*text);
}

bool isJournal(const fs::path& file) {
  const std::string begin = beginning();
  std::string text(begin.size(), '\0');
  std::ifstream(file, std::ios::binary).read(text.data(), static_cast<std::streamsize>(text.size()));
  return text == begin;
}

std::string studyId(const std::string& identity) { return digest(identity).substr(0, kChecksumDigits); }

std::string journalHeader() {
  return checkedLine(
      dumped({{"format", kFormat}, {"version", kJournalVersion}, {"software_version", programVersion()}}));
}

std::string lineOf(const JournalStudy& study) {
  return checkedLine(dumped({{"study", study.id},
                             {"runs", study.runs},
                             {"title", study.title},
                             {"software_version", study.software_version},
                             {"started_at", study.started_at},
                             {"settings", study.settings},
                             {"figures", study.figures}}));
}

std::string lineOf(const JournalRun& entry) {
  const StudyRun& run = entry.run;
  Json line = {{"run", entry.index},
               {"study", entry.study},
               {"key", entry.key},
               {"values", entry.values},
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
  return checkedLine(dumped(line));
}

}  // namespace hyb
