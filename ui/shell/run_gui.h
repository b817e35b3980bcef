#pragma once
#include <string>

#include "ui/control/hardware_access.h"

namespace hyb {

struct GuiOptions {
  std::string project;           // file or template to open, or a run file; empty: the last project
  std::string theme = "system";  // "light", "dark" or "system"
  ui::HardwareAccess hardware;   // empty: tests run on the twin alone
  void (*refuse)() = nullptr;    // called if no window system is available; does not return
};

/// Opens the window and runs its event loop; returns the exit code of the program.
int runGui(int argc, char** argv, const GuiOptions& options);

}  // namespace hyb
