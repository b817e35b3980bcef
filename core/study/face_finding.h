#pragma once
#include "core/study/face_campaign.h"

namespace hyb {

/// Writes the finding of the campaign to the run file of the test with the least error, if one is kept; its verdict
/// includes the finding from then on. A file that cannot be written keeps its verdict.
void tellRunFile(const FaceReport& report, const std::filesystem::path& folder);

}  // namespace hyb
