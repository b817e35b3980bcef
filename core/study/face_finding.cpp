#include "core/study/face_finding.h"

#include "core/record/finish.h"
#include "core/run/verdict.h"

namespace hyb {
namespace {

Grade gradeOf(FaceVerdict verdict) {
  switch (verdict) {
    case FaceVerdict::accepted:
      return Grade::good;
    case FaceVerdict::rejected:
      return Grade::poor;
    case FaceVerdict::undecided:
      return Grade::fair;
    case FaceVerdict::none:
      break;
  }
  return Grade::unknown;
}

}  // namespace

void tellRunFile(const FaceReport& report, const std::filesystem::path& folder) {
  const FaceFinding finding{gradeOf(report.curve.verdict), report.curve.sentence};
  const auto axis = static_cast<std::size_t>(report.spec.axis);
  if (finding.grade == Grade::unknown) return;
  for (const FaceCampaignTest& test : report.tests) {
    if (test.file.empty() || !report.fits(test) || test.errors[axis] != report.curve.least_error) continue;
    try {
      recordFace(test.file, finding);
      judgeFile(test.file, folder);
    } catch (const DeviceError&) {  // moved, or the disk is full
    }
    return;
  }
}

}  // namespace hyb
