#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>

#include "core/run/device_factory.h"
#include "core/study/study.h"

namespace hyb {

/// Finished runs of each worker that may wait for the disk, besides the one it is about to hand over: what a kill may
/// cost, and what a study does after its cancel.
inline constexpr std::size_t kHeldRuns = 32;

struct StudyProgress {
  bool checking = false;  // looking into the projects, before the first run
  std::size_t done = 0, total = 0;
  double remaining_s = -1.0;  // below 0: not known yet
};
/// Called about every 50 ms from the thread that called runStudy(); false cancels.
using StudyWatch = std::function<bool(const StudyProgress&)>;

struct StudySummary {
  bool cancelled = false;  // before or between runs; the same call again takes up the finished ones
  std::size_t runs = 0, done = 0, stopped = 0, failed = 0;
  std::size_t segments = 0;    // trials, frequencies or points of paths that are kept of them
  std::size_t resumed = 0;     // of these were taken over from an earlier call
  std::size_t damaged = 0;     // lines of the journal that were damaged or cut short: runs done again
  double elapsed_s = 0.0;      // of this call
  std::filesystem::path file;  // empty: cancelled before there was anything to write
};

/// Runs a study on `jobs` threads (0: one per core; a paced study, and one on a rig, always takes one) and writes its
/// HDF5 file, also when cancelled. Results do not depend on the jobs. A run that ends early, or whose project cannot be
/// built, is a result. `devices` makes the hardware of projects that run on a rig.
/// `stop` ends its running tests at once; without it only the watch can cancel. Throws InputError when a project of
/// the study is not valid, before the first run, naming the combination; DeviceError when `file` exists and is not the
/// unfinished result of this very study, or cannot be written.
StudySummary runStudy(const Study& study, const std::filesystem::path& file, unsigned jobs = 0,
                      const StudyWatch& watch = {}, const DeviceFactory& devices = {}, StopToken* stop = nullptr);

}  // namespace hyb
