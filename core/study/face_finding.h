#pragma once
#include "core/study/face_campaign.h"

namespace hyb {

/// Tells the run file of the test with the least error, where one is kept, what the campaign found about that test: its
/// verdict counts it from then on. A file that cannot be written keeps the verdict that it has.
void tellRunFile(const FaceReport& report, const std::filesystem::path& folder);

}  // namespace hyb
