#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/run/test_run.h"

namespace hyb {

/// A stopped sweep of frequencies, as far as needed to offer its continuation.
struct StoppedSweep {
  std::filesystem::path file;
  std::size_t frequencies = 0;  // number of completed frequencies
  std::string from;             // for people: "12 frequencies of run.h5"
  Json document;                // project of that run
};
/// Reads a run file that is complete, recovered, or left by a killed program. Throws DeviceError. Throws InputError if
/// it is not a sweep or has no completed frequency.
StoppedSweep stoppedSweepOf(const std::filesystem::path& file);
/// Why this project cannot continue the sweep: it has another structure, cut or coupling. None: it can.
std::optional<InputError> goOnFault(const StoppedSweep& sweep, const Json& document);

/// Initial data of a test that continues such a sweep at the next frequency; its own file holds all frequencies.
/// `layout`: of that test. Throws as stoppedSweepOf(), and the error of goOnFault().
BeginWith goOnFrom(const std::filesystem::path& file, const Project& project, const RowLayout& layout);

}  // namespace hyb
