#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace hyb {

/// The files that a sound document names by relative paths and that are not in `folder`, as they stand there.
std::vector<std::string> missingFiles(const Json& document, const std::filesystem::path& folder);

}  // namespace hyb
