#pragma once
#include "core/base/json_fwd.h"
#include "core/project/project.h"
#include "core/structure/partition.h"

namespace hyb {

/// Predicts before the first trial whether learning reduces the error from trial to trial. For each addition with a
/// condition for that: {"addition", "at" (place in the project), "largest" (factor from one trial to the next at the
/// worst frequency; below 1: the error falls at all frequencies), "frequency_hz", "over_frequency" ({"frequency_hz",
/// "factor"}, for a plot), "in_contact" (the same with the specimen's laws at their largest stiffness; only if there
/// are laws or a set for contact, and then with this set), "switches" (there is a set for contact)}. For the linear
/// loop, in which only the addition is held over the tick. Empty: no addition has a condition.
Json learningReport(const Project& project, const Partition& partition);
/// One sentence for each entry.
std::vector<std::string> learningSentences(const Json& report);
/// The error falls at all frequencies, also in contact.
bool learns(const Json& entry);
/// The sentences of the entries for which it does not.
std::vector<std::string> learningFaults(const Json& report);

}  // namespace hyb
