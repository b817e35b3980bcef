#pragma once
#include "core/fidelity/measure.h"
#include "core/run/run_record.h"

namespace hyb {

/// The figures of a run as one JSON object, from its acquisition channels between analysis.start_s and the start of the
/// soft end. Interfaces of a run that ended before its analysis started have null figures. With `measures`, each
/// interface and the whole test also have an object of that name with all of readMeasures(), which takes longer. Throws
/// DeviceError (not a run file, damaged).
Json metrics(const RunRecord& run, bool measures = false);
/// With the measures. `folder`: start of relative paths of the project.
Json metrics(const RunFileReader& run, const std::filesystem::path& folder, std::vector<std::string> damage = {});
/// A figure from the result of metrics(). `owner` is the whole test or one of its interfaces. Null if the run has no
/// such figure, or its measures were not requested.
const Json* readingIn(const Json& owner, const Measure& measure);

}  // namespace hyb
