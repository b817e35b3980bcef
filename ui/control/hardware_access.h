#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/run/device_factory.h"

namespace hyb::ui {

/// What the window may reach of the outside world; given by the program, so that the window knows no driver. Either may
/// be empty.
struct HardwareAccess {
  DeviceFactory devices;
  std::function<std::vector<std::string>()> serial_ports;  // paths, those that stay the same when replugged first
};

}  // namespace hyb::ui
