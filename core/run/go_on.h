#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/run/test_run.h"

namespace hyb {

/// A sweep of frequencies that was stopped, as far as one needs to know to offer that it goes on.
struct StoppedSweep {
  std::filesystem::path file;
  std::size_t frequencies = 0;  // that were measured to their end
  std::string from;             // for people: "12 frequencies of run.h5"
  Json document;                // its project
};
/// Of a run file: whole, recovered, or as it was left by a program that died. Throws DeviceError; InputError where it
/// is no sweep, or nothing was measured to its end.
StoppedSweep stoppedSweepOf(const std::filesystem::path& file);
/// Why it cannot be gone on with in this project: it has another structure, cut or coupling. None: it can.
std::optional<InputError> goOnFault(const StoppedSweep& sweep, const Json& document);

/// What a test begins with that goes on with such a sweep at the next frequency; its own file has all of them.
/// `layout`: of that test. Throws as stoppedSweepOf(), and what goOnFault() finds.
BeginWith goOnFrom(const std::filesystem::path& file, const Project& project, const RowLayout& layout);

}  // namespace hyb
