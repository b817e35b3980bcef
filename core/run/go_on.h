#pragma once
#include <filesystem>

#include "core/run/test_run.h"

namespace hyb {

/// What a sweep of frequencies that was stopped has measured: a test that begins with it goes on at the next one, and
/// its own file has them all. `layout`: of that test. `file`: its run file, whole, recovered or as it was left by a
/// program that died. Throws DeviceError; InputError where it is no sweep, or of a project with another structure, cut
/// or coupling.
BeginWith goOnFrom(const std::filesystem::path& file, const Project& project, const RowLayout& layout);

}  // namespace hyb
