#pragma once
#include "core/compensation/method.h"

namespace hyb {

/// Member of the family "compensation": a user's own, a shared library with the interface of
/// resources/plug-in/hybridbench_compensator.h. What is parsed names the library and has read it, and runs nothing of
/// it; its loaded() does. Tunables are its parameters, adapted quantities <name>_<axis>.
CompensationMethodPtr parsePlugIn(const Json& settings, const MethodContext& context, Checks& checks);

}  // namespace hyb
