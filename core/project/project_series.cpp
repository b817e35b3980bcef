#include "core/project/project_series.h"

#include "core/project/reading.h"
#include "core/project/schema.h"

namespace hyb {
namespace {

constexpr const char* kRig = "rig";
constexpr const char* kSeed = "seed";

/// A rig without the seed of its noise, on which nothing else depends.
Json seedless(Json rig) {
  if (rig.is_object()) rig.erase(kSeed);
  return rig;
}

}  // namespace

/// The project from the last one; null if it has other sections, or is not valid.
std::shared_ptr<const Project> ProjectSeries::changed(const Json& document) {
  if (!document.is_object() || document.size() != document_.size()) return nullptr;
  bool reseeded = true;
  for (const auto& [key, section] : document.items()) {
    const auto last = document_.find(key);
    if (last == document_.end()) return nullptr;
    if (*last == section) continue;
    if (!checkSchema(section, projectSchema().at("properties").at(key)).empty()) return nullptr;
    const bool same = key == kRig && section.contains(kSeed) && seedless(section) == seedless(*last);
    reseeded = reseeded && same;
    if (same)
      whole_[key][kSeed] = section.at(kSeed);
    else
      whole_[key] = sectionWithDefaults(document, key);
  }
  document_ = document;
  auto project = std::make_shared<Project>();
  if (reseeded) {
    *project = *project_;
    read(whole_.at(kRig), kSeed, project->twin.seed);
    project->document = document;
    return project;
  }
  project->document = document;
  project->folder = folder_;
  parseSections(whole_, {}, *project);
  std::vector<Issue> issues;
  checkMeaning({}, *project, issues);
  return issues.empty() ? project : nullptr;
}

std::shared_ptr<const Project> ProjectSeries::next(const Json& document) {
  if (project_) project_ = changed(document);
  if (project_) return project_;
  auto project = std::make_shared<const Project>(parseProject(document, folder_));
  document_ = whole_ = document;
  for (auto& [key, section] : whole_.items()) section = sectionWithDefaults(document, key);
  return project_ = std::move(project);
}

}  // namespace hyb
