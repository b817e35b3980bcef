#pragma once
#include <string>

#include "core/project/project.h"

namespace hyb::app {

/// The figures of a run as a table for people.
std::string figuresTable(const Json& metrics);

/// The stability report as text for people.
std::string stabilityText(const Json& report);

}  // namespace hyb::app
