#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace hyb {

/// Relative file names in a valid document that do not exist in `folder`, as written there.
std::vector<std::string> missingFiles(const Json& document, const std::filesystem::path& folder);

/// The project of a recorded test without the driver of its rig, which may be missing: with a connection of the same
/// delay in its place.
Json withoutDriver(Json document);

}  // namespace hyb
