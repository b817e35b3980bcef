#pragma once
#include <vector>

#include "core/run/run_record.h"
#include "core/study/face_campaign.h"
#include "core/study/study.h"

namespace hyb {

/// Figures of each test in journal and file, in this order; errors first.
enum FaceFigure : std::size_t {
  kFaceDelay,
  kFaceByMax,
  kFaceByRms,
  kFaceQuantity,
  kFaceReference,
  kFaceGrowth,
  kFacePoleRe,
  kFacePoleIm,
  kFaceGrows,
  kFaceEquationsFrom,  // FaceEquations::numbers()
  kFaceFigures = kFaceEquationsFrom + FaceEquations::kNumbers
};
const std::vector<FigureColumn>& faceColumns();

FaceWindow faceWindow(const Project& project, const FaceSpec& spec);

/// Delay of the loop between target and measured samples of one row that the rows do not contain, s: the delay from the
/// force of a row to the motion of the integrator (loadDelay()), and one tick more if the target is sent a tick ahead.
/// That of another program is unknown and assumed 0.
double hiddenDelay_s(const Project& project);

/// Figures of one finished test, [kFaceFigures], and in `fault` why it is not a point of the curve. Errors are those of
/// the catalogue, over the rows of all figures of a run; the quantity is taken from these rows too, or from a part of
/// them.
std::vector<double> faceFigures(const Project& project, const FaceSpec& spec, const RunRecord& run, std::string& fault);
/// Runs one test of the campaign on this thread (a paced one on its own thread). Nothing if `stop` ends it early.
std::optional<StudyJournal::Entry> runFaceTest(const Study& study, const FaceSpec& spec, std::size_t index,
                                               const FaceOptions& options, const StopToken& stop);
/// Path of its run file, in options.runs.
std::filesystem::path faceRunFile(const FaceOptions& options, std::size_t index);

/// The test with these figures.
FaceCampaignTest faceTestOf(double varied, std::uint64_t seed, RunStatus status, const std::string& message,
                            const std::vector<double>& figures);

}  // namespace hyb
