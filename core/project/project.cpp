#include "core/project/project.h"

#include "core/project/reading.h"
#include "core/project/schema.h"

namespace hyb {

Reading readProject(const Json& document, const std::filesystem::path& folder) {
  Reading reading;
  reading.issues = checkSchema(document);
  std::set<std::string> broken;  // sections whose schema is not kept; "" when the document is no object at all
  for (const Issue& issue : reading.issues) {
    const std::string path = issue.where.empty() ? "" : issue.where.substr(1);
    broken.insert(path.substr(0, path.find('/')));
  }
  reading.project.document = document;
  reading.project.folder = folder;
  if (broken.contains("")) return reading;
  parseSections(document, broken, reading.project);
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

}  // namespace hyb
