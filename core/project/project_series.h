#pragma once
#include <filesystem>
#include <memory>
#include <utility>

#include "core/project/project.h"

namespace hyb {

/// Projects that differ in a few values, parsed one after the other: sections as in the last one are not checked
/// against the schema again, and a new seed leaves everything else as it is. One thread at a time.
class ProjectSeries {
 public:
  explicit ProjectSeries(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// The same as parseProject(), and throws the same.
  std::shared_ptr<const Project> next(const Json& document);

 private:
  std::shared_ptr<const Project> changed(const Json& document);
  std::filesystem::path folder_;
  Json document_, whole_;                   // of the last valid project, as given and with all defaults
  std::shared_ptr<const Project> project_;  // null: there is none yet
};

}  // namespace hyb
