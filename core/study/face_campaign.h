#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/fidelity/face_model.h"
#include "core/project/face_spec.h"
#include "core/run/device_factory.h"
#include "core/study/face_structure.h"
#include "core/study/journal.h"

namespace hyb {

// A FACE campaign: tests of one project with deliberately increased error, extrapolated to the error-free test. It uses
// the study engine: its file is a study file with a group /face.

/// Tests in the order of running: by increasing error.
struct FacePlan {
  std::vector<std::string> pointers;
  std::string title, units;    // of the varied value
  std::vector<double> values;  // one per variation, in the order of running
  int seeds = 1;
  bool delay = false;  // an added delay is varied
  std::optional<double>
      margin_s;  // the smallest added delay that makes the loop unstable; 0: it is unstable without any
  std::size_t tests() const noexcept { return values.size() * static_cast<std::size_t>(seeds); }
};
/// Throws InputError with the place in /analysis/face: no such section, or the loop is unstable without changes.
FacePlan planFace(const Project& project);

struct FaceCampaignTest {
  double varied = 0.0;
  std::uint64_t seed = 0;
  RunStatus status = RunStatus::pending;
  std::string message;                     // how the test ended, or why it was not run
  std::array<double, kFaceAxes> errors{};  // by FaceAxis; NaN: unknown
  double quantity = 0.0;                   // NaN: none, see fault
  std::string fault;  // why the test is not a point of the curve: stopped by a limit, grows, no quantity
  std::optional<std::complex<double>> pole;  // of the free oscillation, 1/s
  std::optional<FaceEquations> equations;    // for the specimen, if it swings freely
  double growth_per_s = 0.0;                 // of the free motion, NaN: unknown
  std::string dropped;                       // the user's reason to leave the test out; empty: it counts
  std::filesystem::path file;                // its run file, if one is kept
  /// True if the test ran properly and has no fault.
  bool measured() const noexcept { return status == RunStatus::done && fault.empty(); }
  bool counts() const noexcept { return measured() && dropped.empty(); }
};

/// Time ranges of errors and of the quantity, for a test that is neither held nor stopped early.
struct FaceWindow {
  double step_s = 0.0, from_s = 0.0, to_s = 0.0, quantity_from_s = 0.0, quantity_to_s = 0.0;
  double hidden_s = 0.0;  // delay that the rows do not contain
};

/// First row at or after a time since row 0, independent of rounding.
inline std::size_t rowFrom(double time_s, double step_s) noexcept {
  return static_cast<std::size_t>(std::max(0.0, std::ceil(time_s / step_s - 1e-6)));
}

struct FaceReport {
  std::string title;
  FaceSpec spec;
  FacePlan plan;
  std::vector<FaceCampaignTest> tests;  // all planned tests, in the plan's order
  std::optional<double> reference;      // given, or from the uncut structure if the project has one
  FaceAssessment curve;                 // extrapolated along the axis
  FacePrediction model;                 // the same from the structural model
  std::vector<std::string> missing;     // sentences: variations without a point or in a wrong order, with the reason
  bool complete = false;                // every test has been run or was not permitted
  std::string notice;                   // StudyTable::notice of the file it was read from
  FaceWindow window;
  Json project;
  std::filesystem::path folder;                    // base of its relative paths
  std::shared_ptr<const FaceStructure> structure;  // for the model; null: see no_structure
  std::string no_structure;
  /// True if a test is a point of the fitted curve; the reason why a measured test is not goes to `why`.
  bool fits(const FaceCampaignTest& test, std::string* why = nullptr) const;
};
/// Assesses again, after a test was dropped or restored, or another axis, scale or tolerance was selected (spec).
void assess(FaceReport& report);

struct FaceProgress {
  std::size_t done = 0, total = 0;
  double remaining_s = -1.0;           // below 0: unknown yet
  const FaceReport* report = nullptr;  // current state; valid during the call
  bool changed = false;                // a test has finished since the last call
};
/// Called about every 50 ms from the thread that called runFace(); false cancels.
using FaceWatch = std::function<bool(const FaceProgress&)>;

struct FaceOptions {
  bool paced = false;          // in real time
  bool traces = false;         // store every channel of every test in the file
  std::filesystem::path runs;  // folder for one run file per test; empty: none
  StopToken* stop = nullptr;   // of all its tests; null: only the watch can cancel
  DeviceFactory devices;       // needed by projects that run on a rig or its shadow
};
struct FaceSummary {
  FaceReport report;
  bool cancelled = false;   // the same call again resumes with the finished tests
  std::size_t resumed = 0;  // tests of an earlier call
  std::size_t damaged = 0;  // damaged or truncated lines of the journal: tests run again
  double elapsed_s = 0.0;
  std::filesystem::path file;
};
/// Plans, runs and assesses; writes `file` also when cancelled. A variation is run only if the stability of the loop
/// and the growth in the earlier tests permit it. A test that ends early is reported, and the others continue. Throws
/// InputError (project, plan) and DeviceError (file exists, cannot be written, rig).
FaceSummary runFace(const Project& project, const std::filesystem::path& file, const FaceOptions& options = {},
                    const FaceWatch& watch = {});

/// The report of a file of runFace(). Throws DeviceError.
FaceReport readFaceFile(const std::filesystem::path& file);
/// Stores the results of assess(), and dropped tests with their reasons, in the file. Throws DeviceError.
void saveFaceFile(const std::filesystem::path& file, const FaceReport& report);

/// Output of `study --json`.
Json faceJson(const FaceReport& report);

}  // namespace hyb
