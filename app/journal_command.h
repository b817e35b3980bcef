#pragma once
#include "app/command_line.h"

namespace hyb::app {

/// `hybridbench study journal print|export|merge`.
void addJournal(CommandLine& line, CLI::App& study);

}  // namespace hyb::app
