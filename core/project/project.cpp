#include "core/project/project.h"

#include "core/project/files.h"
#include "core/project/reading.h"
#include "core/project/schema.h"

namespace hyb {

Reading readProject(const Json& document, const std::filesystem::path& folder) {
  Reading reading;
  reading.issues = checkSchema(document);
  std::set<std::string> broken;  // sections that violate the schema; "" if the document is not an object
  for (const Issue& issue : reading.issues) {
    const std::string path = issue.where.empty() ? "" : issue.where.substr(1);
    broken.insert(path.substr(0, path.find('/')));
  }
  reading.project.document = document;
  reading.project.folder = folder;
  if (broken.contains("")) return reading;
  Json whole = document;
  for (auto& [key, section] : whole.items())
    if (!broken.contains(key)) section = sectionWithDefaults(document, key);
  parseSections(whole, broken, reading.project);
  checkMeaning(broken, reading.project, reading.issues);
  return reading;
}

std::vector<Issue> validate(const Json& document, const std::filesystem::path& folder,
                            std::vector<std::string>* notes) {
  Reading reading = readProject(document, folder);
  if (notes != nullptr) *notes = std::move(reading.project.notes);
  return std::move(reading.issues);
}

Project parseProject(const Json& document, const std::filesystem::path& folder) {
  Reading reading = readProject(document, folder);
  if (!reading.issues.empty()) throw InputError(std::move(reading.issues));
  return std::move(reading.project);
}

namespace {

constexpr const char* kPlugIn = "plug-in";

/// Calls `take` with each entry of /compensation that names a library.
template <typename Document, typename Take>
void eachPlugIn(Document& document, Take&& take) {
  if (!document.is_object() || !document.contains("compensation")) return;
  auto& section = document.at("compensation");
  const auto one = [&](auto& entry) {
    if (entry.is_object() && entry.value("method", Json()) == kPlugIn) take(entry);
  };
  if (section.is_array())
    for (auto& entry : section) one(entry);
  else
    one(section);
}

}  // namespace

Project parseRecorded(const Json& document, const std::filesystem::path& folder) {
  Json without = withoutDriver(document);
  eachPlugIn(without, [](Json& entry) {
    for (const char* key : {"library", "parameters", "budget_us"}) entry.erase(key);
    entry["method"] = "none";
  });
  Project project = parseProject(without, folder);
  project.document = document;
  return project;
}

std::vector<std::string> librariesNamed(const Json& document) {
  std::vector<std::string> libraries;
  eachPlugIn(document, [&](const Json& entry) {
    const Json library = entry.value("library", Json());
    if (library.is_string()) libraries.push_back(library.get<std::string>());
  });
  return libraries;
}

}  // namespace hyb
