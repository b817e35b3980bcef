#include "core/study/face_job.h"

#include <utility>

#include "core/project/reading.h"
#include "core/study/study.h"

namespace hyb {
namespace {

namespace fs = std::filesystem;

bool isTemplate(const std::string& name) {
  for (const Template& known : templates())
    if (known.name == name) return true;
  return false;
}

/// Settings that a campaign takes from the project instead.
void refuseKeys(const Json& document) {
  std::vector<Issue> issues;
  for (const char* key : {"vary", "combine", "seeds", "measures", "pause_s"})
    if (document.contains(key))
      issues.push_back({"/" + std::string(key),
                        "is not a setting of FACE; the varied values and the quantity are in "
                        "/analysis/face of the project (change it with \"set\")."});
  if (document.value("traces", Json()).is_array())
    issues.push_back({"/traces", "lists channels, but a campaign keeps all or none; write true or false."});
  if (!issues.empty()) throw InputError(std::move(issues));
}

}  // namespace

std::optional<FaceJob> loadFaceJob(const std::string& name) {
  std::error_code ignored;
  if (!fs::exists(name, ignored) && isTemplate(name)) return FaceJob{loadProject(name), {}};
  if (!fs::exists(name, ignored) && shippedStudy(name) != nullptr) return std::nullopt;
  const Json document = readJson(name);
  if (!document.is_object()) return std::nullopt;
  if (document.value("format", Json()) == "hybridbench-project") return FaceJob{loadProject(name), {}};
  if (document.value("kind", Json()) != "face") return std::nullopt;
  refuseKeys(document);
  const Study study = loadStudy(name);
  FaceOptions options;
  options.paced = study.paced;
  options.traces = study.traces;
  return FaceJob{parseProject(study.base, study.folder), std::move(options)};
}

}  // namespace hyb
