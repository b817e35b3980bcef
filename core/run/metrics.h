#pragma once
#include <filesystem>

#include "core/project/project.h"
#include "core/record/run_file_reader.h"
#include "core/run/stability_report.h"

namespace hyb {

/// The figures of a run as one JSON object, from /acquisition of the file, from analysis.start_s to the
/// start of the soft end. A run that ended before its analysis began has null for the figures of its interfaces. Throws
/// DeviceError (not a run file, damaged).
Json metrics(const RunFileReader& run);

}  // namespace hyb
