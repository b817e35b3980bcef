#pragma once
#include <span>

#include "core/project/project.h"

namespace hyb {

/// Turns a document of one version into the next. Throws InputError if this is not possible.
using MigrationStep = void (*)(Json& document);

/// steps[v - 1] makes version v + 1 from version v; the current version is steps.size() + 1. Runs the steps that the
/// document needs and sets its version after each. Throws InputError if "version" is missing, not a number or too new.
void migrate(Json& document, std::span<const MigrationStep> steps);

}  // namespace hyb
