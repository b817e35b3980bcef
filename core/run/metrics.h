#pragma once
#include <filesystem>

#include "core/project/project.h"
#include "core/record/run_file_reader.h"

namespace hyb {

/// The figures of a run (design.md 4.4) as one JSON object, from /acquisition of the file, from analysis.start_s to the
/// end of the excitation. Throws DeviceError (not a run file) or InputError (fewer rows than the analysis window
/// needs).
Json metrics(const RunFileReader& run);
/// The figures of design.md 4.5. delay_s: the delay analysed; default: the project's own (loopDelayParts).
Json stabilityReport(const Project& project, std::optional<double> delay_s = {}, std::optional<double> cutoff_hz = {});

}  // namespace hyb
