#pragma once
#include <string>

#include "core/study/face_job.h"

namespace hyb::app {

/// Warns on standard error if a resumed journal has damaged lines.
void noteDamagedLines(std::size_t lines);

/// `hybridbench study` of a FACE campaign. `file`: output. Exit code 1 if it was cancelled and can be resumed.
int runFaceCommand(const FaceJob& job, const std::filesystem::path& file, bool json);

}  // namespace hyb::app
