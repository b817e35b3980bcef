#pragma once
#include <filesystem>

#include "core/project/project.h"
#include "core/record/run_file_reader.h"

namespace hyb {

/// The figures of a run as one JSON object, from /acquisition of the file, from analysis.start_s to the
/// start of the soft end. A run that ended before its analysis began has null for the figures of its interfaces. Throws
/// DeviceError (not a run file, damaged).
Json metrics(const RunFileReader& run);
/// Stability figures of the delayed loop. delay_s: the delay analysed; default: the project's own (loopDelayParts).
Json stabilityReport(const Project& project, std::optional<double> delay_s = {}, std::optional<double> cutoff_hz = {});

}  // namespace hyb
