#include "core/study/run_key.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <set>

#include "core/base/sha256.h"
#include "core/base/version.h"
#include "core/project/project.h"
#include "core/study/study.h"

namespace hyb {
namespace {

namespace fs = std::filesystem;

/// Names of files that a document reads: ground motions and matrices, all under "file".
void collectFiles(const Json& value, bool names_file, std::set<std::string>& files) {
  if (value.is_string() && names_file) files.insert(value.get<std::string>());
  if (value.is_array())
    for (const Json& entry : value) collectFiles(entry, names_file, files);
  if (value.is_object())
    for (const auto& [key, entry] : value.items()) collectFiles(entry, key == "file", files);
}

/// SHA-256 of a file's content; "" for an unreadable file, which is a fault of the project.
std::string digestOf(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return {};
  Sha256 sha;
  std::array<char, 1 << 16> block;
  while (stream.read(block.data(), block.size()) || stream.gcount() > 0)
    sha.update(block.data(), static_cast<std::size_t>(stream.gcount()));
  return sha.hex();
}

/// SHA-256 of the content of each file that a run of the study may read, by the name in its project.
std::map<std::string, std::string> fileDigests(const Study& study) {
  std::set<std::string> files;
  collectFiles(study.base, false, files);
  const auto collectValues = [&](const std::vector<std::string>& pointers, const std::vector<Json>& values) {
    for (const std::string& pointer : pointers)
      for (const Json& value : values) collectFiles(value, pointer.ends_with("/file"), files);
  };
  for (const Variation& variation : study.variations) collectValues(variation.pointers, variation.values);
  for (const RandomSetting& setting : study.random.settings) collectValues(setting.pointers, setting.values);
  std::map<std::string, std::string> digests;
  for (const std::string& file : files)
    digests[file] = digestOf(study.folder / file);  // an absolute path replaces the folder
  return digests;
}

std::string sha256Of(const std::string& text) {
  Sha256 sha;
  sha.update(text.data(), text.size());
  return sha.hex();
}

/// The document with sorted keys: the order in which a project was written does not matter.
void appendSorted(const Json& value, std::string& text) {
  if (value.is_object()) {
    std::map<std::string_view, const Json*> sorted;
    for (const auto& entry : value.items()) sorted.emplace(entry.key(), &entry.value());
    text += '{';
    for (const auto& [key, entry] : sorted) {
      text += Json(key).dump();
      text += ':';
      appendSorted(*entry, text);
      text += ',';
    }
    text += '}';
  } else if (value.is_array()) {
    text += '[';
    for (const Json& entry : value) {
      appendSorted(entry, text);
      text += ',';
    }
    text += ']';
  } else {
    text += value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

}  // namespace

std::string Study::identity() const {
  Json runs = document;
  for (const char* harmless : {"title", "description", "pause_s", "project", "set"}) runs.erase(harmless);
  return Json{{"version", programVersion()}, {"study", runs}, {"project", base}, {"files", fileDigests(*this)}}.dump();
}

RunKeys::RunKeys(const Study& study, const std::vector<FigureColumn>& columns)
    : files_(fileDigests(study)), own_(study.paced || study.document.contains("kind")), identity_(study.identity()) {
  Json kept = Json::array();
  for (const FigureColumn& column : columns) kept.push_back(column.name());
  common_ = Json{programVersion(), kept, study.traces, study.trace_channels}.dump();
}

std::string RunKeys::of(std::size_t run, const Json& project) const {
  if (own_ || !librariesNamed(project).empty()) return sha256Of(identity_ + "\n" + std::to_string(run));
  std::string text = common_;
  std::set<std::string> files;
  collectFiles(project, false, files);
  for (const std::string& file : files) {
    const auto digest = files_.find(file);
    text += "\n" + file + "\n" + (digest != files_.end() ? digest->second : std::string());
  }
  text += "\n";
  appendSorted(project, text);
  return sha256Of(text);
}

JournalOwner journalOwner(const Study& study, const std::vector<FigureColumn>& columns) {
  JournalOwner owner{study.identity(), study.runs(), study.document.value("title", std::string())};
  for (const Variation& variation : study.variations) owner.settings.push_back(variation.name);
  for (const RandomSetting& setting : study.random.settings) owner.settings.push_back(setting.name);
  for (const FigureColumn& column : columns) owner.figures.push_back(column.name());
  owner.key = [&study, keys = RunKeys(study, columns)](std::size_t run) { return keys.of(run, study.project(run)); };
  owner.values = [&study](std::size_t run) {
    std::vector<std::string> values;
    const std::vector<std::size_t> choice = study.choice(study.combinationOf(run));
    for (std::size_t v = 0; v < study.variations.size(); ++v)
      values.push_back(study.variations[v].values[choice[v]].dump());
    for (std::size_t s = 0; s < study.random.settings.size(); ++s)
      values.push_back(
          study.random.settings[s]
              .value(study.random.drawn(static_cast<Eigen::Index>(study.drawnRow(run)), static_cast<Eigen::Index>(s)))
              .dump());
    return values;
  };
  return owner;
}

}  // namespace hyb
