#pragma once
#include <string>

namespace hyb {

struct GuiOptions {
  std::string project;           // file or template to open; empty: the last one, or the first template
  std::string theme = "system";  // "light", "dark" or "system"
};

/// Opens the window and runs its event loop; returns the exit code of the program.
int runGui(int argc, char** argv, const GuiOptions& options);

}  // namespace hyb
