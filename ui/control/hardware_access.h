#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/run/device_factory.h"

namespace hyb::ui {

/// Access of the window to hardware. The program provides it, so that the window depends on no driver. Either may be
/// empty.
struct HardwareAccess {
  DeviceFactory devices;
  std::function<std::vector<std::string>()> serial_ports;  // paths; stable names first
};

}  // namespace hyb::ui
