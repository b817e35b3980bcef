#pragma once
#include "core/compensation/method.h"

namespace hyb {

/// Member of the family "compensation": a user's shared library with the interface of
/// resources/plug-in/hybridbench_compensator.h. The parsed method names the library and has read the file, but runs
/// none of its code; the result of loaded() does. Tunables are its parameters, adapted quantities `<name>_<axis>`.
CompensationMethodPtr parsePlugIn(const Json& settings, const MethodContext& context, Checks& checks);

}  // namespace hyb
