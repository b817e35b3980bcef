#pragma once
#include <cstdint>

#include "core/study/face_campaign.h"

namespace hyb {

/// Writes the group /face into an open HDF5 file: points, fit, intervals, verdict, dropped tests. Throws DeviceError.
void writeFaceGroup(std::int64_t file, const FaceReport& report);

/// The reference of the report: the value in the project, else that of the uncut structure in the first finished test.
void setReference(FaceReport& report, const std::vector<StudyRun>& runs);

}  // namespace hyb
