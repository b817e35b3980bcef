#pragma once
#include <filesystem>

#include "core/project/project.h"

namespace hyb::ui {

/// Where runs of this project go: its own folder (relative ones start at the project's), or else "HybridBench" among
/// the user's documents.
std::filesystem::path recordingFolder(const Project& project);

}  // namespace hyb::ui
