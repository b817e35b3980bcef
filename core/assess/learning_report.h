#pragma once
#include "core/base/json_fwd.h"
#include "core/project/project.h"
#include "core/structure/partition.h"

namespace hyb {

/// Whether what is learnt from trial to trial makes the error fall, before the first trial: for each addition that has
/// a condition for that, {"addition", "at" (place in the project), "largest" (factor from one trial to the next, at the
/// frequency where it is largest; below 1: the error falls at all frequencies), "frequency_hz", "over_frequency"
/// ({"frequency_hz", "factor"}, to draw it), "in_contact" (the same with the specimen's laws as stiff as they get; only
/// where there are laws)}. Of the linear loop, the hold over the
/// tick left out. Empty: none has one.
Json learningReport(const Project& project, const Partition& partition);
/// One sentence for each entry of it.
std::vector<std::string> learningSentences(const Json& report);
/// The error falls at all frequencies, in contact, too.
bool learns(const Json& entry);
/// The sentences of those entries for which it does not.
std::vector<std::string> learningFaults(const Json& report);

}  // namespace hyb
