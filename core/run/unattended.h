#pragma once
#include <string>

#include "core/loop/loop.h"
#include "core/project/project.h"

namespace hyb {

/// The project as it runs where nobody can press Resume (studies, FACE, command line). A hold would never end there, so
/// limits that hold ramp to zero instead and end the test.
Project unattended(Project project);

/// Text " (...)" behind the reason of an end if `asked`, the project as given, would have held there; otherwise "".
std::string unattendedNote(const Project& asked, const Loop& loop);

}  // namespace hyb
