#pragma once
#include "core/compensation/method.h"

namespace hyb {

/// Member of the family "compensation": a user's own, a shared library with the interface of
/// resources/plug-in/hybridbench_compensator.h. Tunables are its parameters, adapted quantities <name>_<axis>. A
/// function that throws commands what is not a number, which ends the test.
CompensationMethodPtr parsePlugIn(const Json& settings, const MethodContext& context, Checks& checks);

}  // namespace hyb
