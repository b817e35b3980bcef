#pragma once
#include <string>

#include "core/project/project.h"

namespace hyb::app {

/// The figures of a run as a table for people.
std::string figuresTable(const Json& metrics);

/// The verdict on a run and its reasons, one a line.
std::string verdictText(const Json& verdict);

/// The plants as text for people.
std::string plantText(const Json& report);
/// The stability report as text for people.
std::string stabilityText(const Json& report);

}  // namespace hyb::app
