#pragma once
#include "core/fidelity/measure.h"
#include "core/run/run_rows.h"

namespace hyb {

/// The figures of a run as one JSON object, from its acquisition channels, from analysis.start_s to the
/// start of the soft end. A run that ended before its analysis began has null for the figures of its interfaces. With
/// `measures` each interface, and the whole, also has an object of that name: all of readMeasures(), which takes
/// longer. Throws DeviceError (not a run file, damaged).
Json metrics(const RunRows& run, bool measures = false);
/// With the measures. `folder`: where the project's relative files start.
Json metrics(const RunFileReader& run, const std::filesystem::path& folder, std::vector<std::string> damage = {});
/// A figure of what metrics() gave: `owner` is the whole, or one of its interfaces. Null where the run has none, or its
/// measures were not asked for.
const Json* readingIn(const Json& owner, const Measure& measure);

}  // namespace hyb
