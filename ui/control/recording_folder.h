#pragma once
#include <QString>
#include <filesystem>

#include "core/project/project.h"

namespace hyb::ui {

/// Folder for runs of this project: its own folder (relative to the project), or "HybridBench" in the user's documents.
std::filesystem::path recordingFolder(const Project& project);
/// File name of a run that starts now, from the title of its project.
QString recordingName(const QString& title);
/// Unused file path of that name in the folder; creates the folder. Throws DeviceError.
std::filesystem::path newRecording(const std::filesystem::path& folder, const QString& title);

}  // namespace hyb::ui
