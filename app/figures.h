#pragma once
#include <string>

#include "core/project/project.h"

namespace hyb::app {

/// The figures of a run as a text table.
std::string figuresTable(const Json& metrics);

/// The verdict on a run and its reasons, one per line.
std::string verdictText(const Json& verdict);

/// The plants as text.
std::string plantText(const Json& report);
/// The stability report as text.
std::string stabilityText(const Json& report);

}  // namespace hyb::app
