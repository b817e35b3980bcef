#pragma once
#include <vector>

#include "core/run/run_rows.h"
#include "core/study/face_campaign.h"
#include "core/study/study.h"

namespace hyb {

/// What the journal and the file keep of each test, in this order; errors first.
enum FaceFigure : std::size_t {
  kFaceDelay,
  kFaceByMax,
  kFaceByRms,
  kFaceQuantity,
  kFaceReference,
  kFaceGrowth,
  kFacePoleRe,
  kFacePoleIm,
  kFaceRatioRe,
  kFaceRatioIm,
  kFaceGrows,
  kFaceFigures
};
const std::vector<FigureColumn>& faceColumns();

FaceWindow faceWindow(const Project& project, const FaceSpec& spec);

/// Delay of the loop that target and measured samples of one row do not show, s: how late the integrator moves with the
/// force of a row (loadDelay()), and one tick more where the target is sent a tick ahead. Another program's is not
/// known and taken for 0.
double hiddenDelay_s(const Project& project);
/// How much later than its motion the inertia of a specimen is read, s: the twin takes it from the change of velocity
/// over the last tick, but for servos, whose acceleration it knows. A rig is taken to read it at once.
double inertiaLag_s(const Project& project);

/// Figures of one finished test, [kFaceFigures], and in `fault` why it gives no point. Errors are the catalogue's, over
/// the rows that all figures of a run are taken from; the quantity is read from these rows too, or from a part of them.
std::vector<double> faceFigures(const Project& project, const FaceSpec& spec, const RunRows& run, std::string& fault);
/// Runs one test of the campaign on this thread (a paced one on a thread of its own). `stop` cuts it short: nothing.
std::optional<StudyJournal::Entry> runFaceTest(const Study& study, const FaceSpec& spec, std::size_t index,
                                               const FaceOptions& options, const StopToken& stop);
/// Where its run file is, in options.runs.
std::filesystem::path faceRunFile(const FaceOptions& options, std::size_t index);

/// A test as its figures tell it.
FaceCampaignTest faceTestOf(double varied, std::uint64_t seed, RunStatus status, const std::string& message,
                            const std::vector<double>& figures);

}  // namespace hyb
