#pragma once
#include <string>

#include "core/loop/loop.h"
#include "core/project/project.h"

namespace hyb {

/// The project as it runs where nobody can press Resume (studies, FACE, command line): a hold would never end, so
/// limits that hold ramp to zero instead, and end the test.
Project unattended(Project project);

/// " (...)" behind the reason of an end that `asked`, the project as given, would have held; "" behind any other.
std::string unattendedNote(const Project& asked, const Loop& loop);

}  // namespace hyb
