#pragma once
#include <string>
#include <vector>

#include "core/assess/identification.h"

namespace hyb {

/// One value of a project that an identified model replaces; null if it did not exist.
struct ProjectChange {
  std::string pointer;
  Json from, to;
};
struct AdoptedModel {
  Json document;
  std::vector<ProjectChange> changes;
  std::vector<std::string> remarks;  // what was not changed and why, and how well the twin fits
};

/// The parts of a project that receive a model.
struct AdoptInto {
  bool twin = true, compensation = true;
};

/// The project with an identified model in every suitable place, for the interface whose command and measured motion
/// were used: the twin's actuator (its limits stay), and the model of a compensator that is based on one. If a place
/// allows only fewer poles, or no zeros and no delay, the same record is fitted again under these conditions. Throws
/// InputError ("write", or pointers of the project): no command and motion of one interface, no model, or an unstable
/// model.
AdoptedModel adoptModel(const Json& project, const std::filesystem::path& folder, const RunIdentification& identified,
                        const AdoptInto& into = {});

}  // namespace hyb
