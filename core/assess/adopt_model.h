#pragma once
#include <string>
#include <vector>

#include "core/assess/identification.h"

namespace hyb {

/// One value of a project that an identified model replaces; null: it was not there.
struct ProjectChange {
  std::string pointer;
  Json from, to;
};
struct AdoptedModel {
  Json document;
  std::vector<ProjectChange> changes;
  std::vector<std::string> remarks;  // what was left as it is and why, how near the twin comes
};

/// What of a project gets a model.
struct AdoptInto {
  bool twin = true, compensation = true;
};

/// The project with an identified model where it has a place for one, of the interface whose command and measured
/// motion were looked at: the twin's actuator (its limits stay), and the model of a compensator that is made of one.
/// Where they can stand for fewer poles, or for no zeros and no delay, the same record is fitted anew for them. Throws
/// InputError ("write", or pointers of the project): no command and motion of one interface, no model, or an
/// unstable one.
AdoptedModel adoptModel(const Json& project, const std::filesystem::path& folder, const RunIdentification& identified,
                        const AdoptInto& into = {});

}  // namespace hyb
