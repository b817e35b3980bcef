#pragma once
#include <QString>
#include <filesystem>

#include "core/project/project.h"

namespace hyb::ui {

/// Where runs of this project go: its own folder (relative ones start at the project's), or else "HybridBench" among
/// the user's documents.
std::filesystem::path recordingFolder(const Project& project);
/// What a run that begins now is called, after the title of its project.
QString recordingName(const QString& title);
/// A file of that name, and of another than there are, in the folder, which is made. Throws DeviceError.
std::filesystem::path newRecording(const std::filesystem::path& folder, const QString& title);

}  // namespace hyb::ui
