#pragma once
#include "core/project/project.h"

namespace hyb::ui {

/// Frequency common to all periodic signals of a valid project, Hz; 0 if there is none, or a signal is not periodic.
double excitationFrequencyHz(const Project& project);

}  // namespace hyb::ui
