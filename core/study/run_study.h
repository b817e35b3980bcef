#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>

#include "core/run/device_factory.h"
#include "core/study/study.h"

namespace hyb {

/// Finished runs of each worker that may wait for the disk, besides the one being handed over: the possible loss by a
/// kill, and the work of a study after its cancel.
inline constexpr std::size_t kHeldRuns = 32;

struct StudyProgress {
  bool checking = false;  // checking the projects, before the first run
  std::size_t done = 0, total = 0;
  double remaining_s = -1.0;  // below 0: unknown yet
};
/// Called about every 50 ms from the thread that called runStudy(); false cancels.
using StudyWatch = std::function<bool(const StudyProgress&)>;

struct StudySummary {
  bool cancelled = false;  // before or between runs; the same call again resumes with the finished ones
  std::size_t runs = 0, done = 0, stopped = 0, failed = 0;
  std::size_t segments = 0;         // trials, frequencies or points of paths stored for them
  std::size_t resumed = 0;          // runs of an earlier call
  std::size_t reused = 0;           // runs that another study in the journal had made
  std::size_t damaged = 0;          // damaged or truncated lines of the journal: runs repeated
  double elapsed_s = 0.0;           // of this call
  std::optional<std::size_t> best;  // of a search: the best candidate so far, a combination of the study
  double best_value = 0.0;          // of its goal
  std::filesystem::path file;       // empty: cancelled without a result
};

/// Runs a study on `jobs` threads (0: one per core; a paced study, and one on a rig, always uses one) and writes its
/// HDF5 file, also when cancelled. Results do not depend on the jobs. A run that ends early, or whose project cannot be
/// built, is a result. `devices` creates the hardware of projects that use a rig. `stop` ends its running tests at
/// once; without it only the watch can cancel. Before the first run, throws InputError with the combination if a
/// project of the study is not valid; throws DeviceError if `file` exists and is not the unfinished result of this
/// study, or cannot be written. `journal`: a journal that several studies share and that is kept; a run that another of
/// them has made is not made again. Empty: one beside `file`, which is removed at the end.
StudySummary runStudy(const Study& study, const std::filesystem::path& file, unsigned jobs = 0,
                      const StudyWatch& watch = {}, const DeviceFactory& devices = {}, StopToken* stop = nullptr,
                      const std::filesystem::path& journal = {});

}  // namespace hyb
