#pragma once
#include <string>

#include "core/study/face_job.h"

namespace hyb::app {

/// On standard error, where a journal that was taken up had some.
void noteDamagedLines(std::size_t lines);

/// `hybridbench study` of a FACE campaign. `file`: to write. Exit code 1 when it was cancelled and can be taken up
/// again.
int runFaceCommand(const FaceJob& job, const std::filesystem::path& file, bool json);

}  // namespace hyb::app
