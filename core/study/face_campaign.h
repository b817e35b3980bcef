#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/fidelity/face_model.h"
#include "core/project/face_spec.h"
#include "core/study/face_structure.h"
#include "core/study/journal.h"

namespace hyb {

// A FACE campaign: tests of one project that are made worse on purpose, step by step, and extrapolated to the
// error-free test. It stands on the study engine: its file is a study file with a group /face.

/// Which tests, in the order in which they are run: from the least error upwards.
struct FacePlan {
  std::vector<std::string> pointers;
  std::string title, units;    // of what is varied
  std::vector<double> values;  // one per variation, in the order of running
  int seeds = 1;
  bool delay = false;              // an added delay is varied
  std::optional<double> margin_s;  // the first added delay that makes the loop unstable, 0: it is without any
  std::size_t tests() const noexcept { return values.size() * static_cast<std::size_t>(seeds); }
};
/// Throws InputError naming the place in /analysis/face: no such section, unstable as it is.
FacePlan planFace(const Project& project);

struct FaceCampaignTest {
  double varied = 0.0;
  std::uint64_t seed = 0;
  RunStatus status = RunStatus::pending;
  std::string message;                     // how it ended, or why it was not run
  std::array<double, kFaceAxes> errors{};  // by FaceAxis; NaN: not known
  double quantity = 0.0;                   // NaN: none, see fault
  std::string fault;                       // why it gives no point: stopped by a limit, grows, no quantity
  std::optional<FacePole> pole;
  double growth_per_s = 0.0;   // of the motion by itself, NaN: not known
  std::string dropped;         // the user's reason to leave it out; empty: it counts
  std::filesystem::path file;  // its run file, where one is kept
  /// Whether it was measured as it should be, and whether that counts.
  bool measured() const noexcept { return status == RunStatus::done && fault.empty(); }
  bool counts() const noexcept { return measured() && dropped.empty(); }
};

/// The times that errors are taken from, and those of the quantity; of a test that is neither held nor cut short.
struct FaceWindow {
  double step_s = 0.0, from_s = 0.0, to_s = 0.0, quantity_from_s = 0.0, quantity_to_s = 0.0;
  double hidden_s = 0.0;       // delay that the rows do not show
  double inertia_lag_s = 0.0;  // how much later than the motion its inertia is read
};

/// First row at or after a time since row 0, whatever the rounding.
inline std::size_t rowFrom(double time_s, double step_s) noexcept {
  return static_cast<std::size_t>(std::max(0.0, std::ceil(time_s / step_s - 1e-6)));
}

struct FaceReport {
  std::string title;
  FaceSpec spec;
  FacePlan plan;
  std::vector<FaceCampaignTest> tests;  // all planned ones, in the plan's order
  std::optional<double> reference;      // given, or of the uncut structure where the project has one
  FaceAssessment curve;                 // extrapolated along the axis
  FacePrediction model;                 // the same from the structural model
  std::vector<std::string> missing;     // sentences: which variations gave no point, or came in a wrong order, and why
  bool complete = false;                // every test has been run or was not allowed
  std::string notice;                   // StudyTable::notice of the file it was read from
  FaceWindow window;
  Json project;
  std::filesystem::path folder;                    // where its relative paths start
  std::shared_ptr<const FaceStructure> structure;  // for the model; none: no_structure says why
  std::string no_structure;
  /// Whether a test is a point that the curve is fitted to; why it has none although it was measured goes to `why`.
  bool fits(const FaceCampaignTest& test, std::string* why = nullptr) const;
};
/// Judges anew: after a test was dropped or taken back, another axis, scale or tolerance was chosen (spec).
void assess(FaceReport& report);

struct FaceProgress {
  std::size_t done = 0, total = 0;
  double remaining_s = -1.0;           // below 0: not known yet
  const FaceReport* report = nullptr;  // as far as it is; valid during the call
  bool changed = false;                // a test has come in since the last call
};
/// Called about every 50 ms from the thread that called runFace(); false cancels.
using FaceWatch = std::function<bool(const FaceProgress&)>;

struct FaceOptions {
  bool paced = false;          // in real time
  bool traces = false;         // keep every channel of every test in the file
  std::filesystem::path runs;  // folder for one run file per test; empty: none is kept
  StopToken* stop = nullptr;   // of all its tests; null: only the watch can cancel
  DeviceFactory devices;       // needed by projects that run on a rig or its shadow
};
struct FaceSummary {
  FaceReport report;
  bool cancelled = false;   // the same call again takes up the finished tests
  std::size_t resumed = 0;  // taken over from an earlier call
  std::size_t damaged = 0;  // lines of the journal that were damaged or cut short: tests done again
  double elapsed_s = 0.0;
  std::filesystem::path file;
};
/// Plans, runs and judges; writes `file` also when cancelled. A variation is run only if the stability of the loop and
/// the growth seen in the tests before allow it; a test that ends early is told and the rest goes on. Throws InputError
/// (project, plan) and DeviceError (file exists, cannot be written, rig).
FaceSummary runFace(const Project& project, const std::filesystem::path& file, const FaceOptions& options = {},
                    const FaceWatch& watch = {});

/// The report of a file of runFace(). Throws DeviceError.
FaceReport readFaceFile(const std::filesystem::path& file);
/// Keeps what assess() found, and dropped tests with their reasons, in the file. Throws DeviceError.
void saveFaceFile(const std::filesystem::path& file, const FaceReport& report);

/// As `study --json` prints it.
Json faceJson(const FaceReport& report);

}  // namespace hyb
